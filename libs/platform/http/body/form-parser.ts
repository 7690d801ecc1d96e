import {
  Busboy,
  type BusboyConfig,
  type BusboyHeaders,
  type BusboyInstance,
  type Dicer,
} from '@fastify/busboy';

type Headers = Record<string, [string, ...string[]] | undefined>;

/** Methods of Busboy that its types do not tell. */
interface Untold {
  getParserByHeaders(headers: BusboyHeaders): { parser: Dicer };
}

const Parser = Busboy as unknown as new (config: BusboyConfig) => BusboyInstance & Untold;

/** Busboy, which tells of a file only what it has read from the headers of its part, with those headers. */
export class FormParser extends Parser {
  /** The `Content-Disposition` of the part that is told of at the moment, a character for each byte. */
  disposition = '';

  override getParserByHeaders(headers: BusboyHeaders): { parser: Dicer } {
    const form = super.getParserByHeaders(headers);
    // Before Busboy itself, which tells of a file as soon as it has seen the headers.
    form.parser.prependListener('part', (part) => {
      part.on('header', (header: object) => {
        this.disposition = (header as Headers)['content-disposition']?.[0] ?? '';
      });
    });
    return form;
  }
}
