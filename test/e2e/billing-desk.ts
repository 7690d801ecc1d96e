import type { ApiClient, Json } from '../support/client';
import { Office } from './office';
import { activeClient, employee, hour, matter } from './records';
import { expectProblem } from './refusals';

export const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

export const fee = (sourceId: string, fields: object = {}) => ({ kind: 'Fee', sourceId, ...fields });

/** A firm with a client and an open matter to bill, over HTTP. */
export class BillingDesk {
  private constructor(
    readonly office: Office,
    readonly api: ApiClient,
    readonly clientId: string,
    readonly matterId: string,
    readonly employeeId: string,
  ) {}

  static async open(): Promise<BillingDesk> {
    const office = await Office.join();
    const api = await office.tenant();
    const clientId = await activeClient(api);
    return new BillingDesk(office, api, clientId, await matter(api, { clientId }), await employee(api));
  }

  close(): Promise<void> {
    return this.office.close();
  }

  /** Records an hour, worth 250, of ten units. */
  work(fields: object = {}): Promise<string> {
    return this.api.create('workitems', hour(this.matterId, this.employeeId, fields));
  }

  draft(lines: object[] = [], fields: object = {}): Promise<Json> {
    const { clientId, matterId } = this;
    return this.api.data('POST', 'invoices', { clientId, matterId, lines, ...fields });
  }

  act(id: string, action: string, body: object = {}): Promise<Json> {
    return this.api.data('POST', `invoices/${id}/${action}`, body);
  }

  async refuse(id: string, action: string, body: object, status: number, code: string): Promise<void> {
    expectProblem(await this.api.post(`invoices/${id}/${action}`, body), status, code);
  }

  item(id: string): Promise<Json> {
    return this.api.data('GET', `workitems/${id}`);
  }
}
