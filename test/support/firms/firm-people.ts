import type { Making } from './making';
import { oddCompanies, oddPeople } from './odd-texts';
import type { ClientOf, FeeEarner, People } from './people';

const GRADES = ['A', 'B', 'C', 'D'];
const TITLES = ['Partner', 'Associate', 'Solicitor', 'Paralegal'];
/** By grade. One of them needs all decimal places of a rate. */
const RATES = ['320.0000000000', '241.6666666667', '175.5000000000', '96.1234567891'];
const TERMS = [null, 14, 30, 0, 60];

/** Adds entities with their roles in the firm. @param matters number of matters that the clients will have */
export function writePeople(making: Making, matters: number): People {
  const feeEarners = writeEmployees(making);
  const suppliers = writeSuppliers(making);
  const count = Math.max(4, Math.ceil(matters / 3));
  const quiet = Math.max(1, Math.floor(count / 10));
  const active: ClientOf[] = [];
  const inactive: ClientOf[] = [];
  for (let index = 0; index < count; index++) {
    const state =
      index === count - 1 ? 'New' : index % 10 === 2 && inactive.length < quiet ? 'Inactive' : 'Active';
    const client = writeClient(making, index, state);
    if (state === 'Active') active.push(client);
    if (state === 'Inactive') inactive.push(client);
  }
  return { feeEarners, active, inactive, suppliers };
}

/** Adds about one fee earner per 5,000 items, and two other employees. */
function writeEmployees(making: Making): FeeEarner[] {
  const { writer, random, items } = making;
  const count = Math.max(4, Math.ceil(items / 5_000));
  const feeEarners: FeeEarner[] = [];
  for (let index = 0; index < count + 2; index++) {
    const id = `EMP-${index + 1}`;
    const { firstName, lastName } = writePerson(making, `E-EMP-${index + 1}`, index);
    const isFeeEarner = index < count;
    const isActive = index % 7 !== 3;
    const grade = index % GRADES.length;
    writer.add('Employee', {
      ImportId: id,
      EntityId: `E-EMP-${index + 1}`,
      DivisionId: index % 5 === 4 ? null : `DIV-${(index % 3) + 1}`,
      Initials: index % 6 === 5 ? null : `${(firstName ?? '')[0] ?? ''}${lastName[0]}${index}`,
      ...(isFeeEarner
        ? {
            JobTitle: TITLES[grade],
            BillingGrade: GRADES[grade],
            DefaultRate: index % 9 === 8 ? null : RATES[grade],
          }
        : { JobTitle: index % 2 === 0 ? 'Secretary' : null }),
      IsFeeEarner: isFeeEarner,
      State: isActive ? 'Active' : 'Inactive',
    });
    if (isFeeEarner) feeEarners.push({ id, rate: RATES[random.whole(0, 1) ? grade : 0], isActive });
  }
  return feeEarners;
}

function writeSuppliers(making: Making): string[] {
  const { writer, items } = making;
  const count = Math.max(3, Math.ceil(items / 20_000));
  return Array.from({ length: count }, (_, index) => {
    const id = `SUP-${index + 1}`;
    writeCompany(making, `E-${id}`, index);
    writer.add('Supplier', {
      ImportId: id,
      EntityId: `E-${id}`,
      State: index % 3 === 2 ? 'Inactive' : 'Active',
      PaymentTermsDays: TERMS[index % TERMS.length],
    });
    return id;
  });
}

function writeClient(making: Making, index: number, state: string): ClientOf {
  const id = `CLI-${index + 1}`;
  // The first client is an entity from which the firm also buys.
  const isSupplier = index === 0;
  const entity = isSupplier ? 'E-SUP-1' : `E-${id}`;
  if (!isSupplier) (index % 5 < 2 ? writeCompany : writePerson)(making, entity, index);
  const terms = TERMS[index % TERMS.length];
  making.writer.add('Client', {
    ImportId: id,
    EntityId: entity,
    State: state,
    PaymentTermsDays: terms,
    ClientNumber: index % 4 === 1 ? null : `C/${String(index + 1).padStart(6, '0')}`,
  });
  return { id, terms };
}

/** Adds a person. Two of ten have an unusual name. */
function writePerson(making: Making, id: string, index: number) {
  const { writer, names } = making;
  const made = names.person();
  const nth = Math.floor(index / 10) * 2 + ((index % 10) - 3);
  const odd = index % 10 === 3 || index % 10 === 4 ? oddPeople[nth % oddPeople.length] : null;
  const [firstName, lastName] = odd ? [odd.FirstName, odd.LastName] : [made.firstName, made.lastName];
  writer.add('Entity', {
    ImportId: id,
    EntityType: 'Individual',
    FirstName: firstName,
    LastName: lastName,
    Email: index % 4 === 3 ? null : names.email(made),
    ...contact(making, index),
  });
  return { firstName, lastName };
}

function writeCompany(making: Making, id: string, index: number): void {
  const { writer, names } = making;
  const name = index % 10 === 0 ? oddCompanies[(index / 10) % oddCompanies.length] : names.company();
  const registration = names.registration();
  writer.add('Entity', {
    ImportId: id,
    EntityType: 'Organisation',
    Name: name,
    ...contact(making, index),
    RegistrationNumber: index % 3 === 2 ? null : registration,
    TaxNumber: index % 3 === 1 ? null : `GB${registration}`,
  });
}

function contact({ names, currency }: Making, index: number) {
  const { street, city, region, postcode, country } = names.address();
  const phone = names.phone();
  const address = { Street: street, City: city, Region: region, Postcode: postcode, Country: country };
  return {
    Phone: index % 4 === 1 ? null : phone,
    Currency: index % 3 === 0 ? currency : null,
    ...(index % 6 === 5 ? {} : address),
  };
}
