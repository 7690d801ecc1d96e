import { readFileSync, statSync } from 'node:fs';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsUrl, ValidateBy } from 'class-validator';
import { parseOpening } from '../net/openings';
import { isDecodable } from '../percent-encoding';

/**
 * @param wrong returns what is wrong with a value, as a text to follow the variable's name; undefined when nothing is
 */
function check(name: string, wrong: (value: unknown) => string | undefined): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value) => wrong(value) === undefined,
      defaultMessage: (args) => `${args!.property} ${wrong(args!.value)}`,
    },
  });
}

/**
 * Converts only numbers that are written in the given form; any other value stays a text. Number() also accepts 0x10,
 * 1e3 and blanks, which nobody means.
 */
const numberWritten = (form: RegExp) =>
  Transform(({ value }) => (typeof value === 'string' && form.test(value) ? Number(value) : value));

export function IsWholeNumber(min: number, max: number): PropertyDecorator {
  const isWithin = (value: unknown) => typeof value === 'number' && value >= min && value <= max;
  return applyDecorators(
    numberWritten(/^\d+$/),
    check('whole-number', (value) =>
      isWithin(value) ? undefined : `must be a whole number from ${min} to ${max}`,
    ),
  );
}

/** A number from 0 to 1. */
export function IsPart(): PropertyDecorator {
  const isPart = (value: unknown) => typeof value === 'number' && value <= 1;
  return applyDecorators(
    numberWritten(/^\d*\.?\d+$/),
    check('part', (value) => (isPart(value) ? undefined : 'must be a number from 0 to 1')),
  );
}

/** A URL. Host names that only an installation itself knows, such as those of containers, may have underscores. */
export function IsAddress(protocols: string[], message?: string): PropertyDecorator {
  const options = { protocols, require_protocol: true, require_tld: false, allow_underscores: true };
  return IsUrl(options, { message });
}

/** A base URL: other URLs are made from it by adding to its end. */
export function IsBaseUrl(): PropertyDecorator {
  return applyDecorators(
    IsAddress(['http', 'https']),
    check('base-url', (value) =>
      /[?#]/.test(String(value)) ? 'must have neither a query nor a fragment' : undefined,
    ),
  );
}

/** `host`, `host:port` or CIDR, with commas between. */
export function AreOpenings(): PropertyDecorator {
  return check('openings', (value) => {
    const wrong = String(value)
      .split(',')
      .find((text) => parseOpening(text) === undefined);
    return wrong === undefined ? undefined : `must be host,host:port,CIDR: "${wrong}" is none of them`;
  });
}

/** A folder that exists, or a path at which nothing exists yet. */
export function IsFolder(): PropertyDecorator {
  return check('folder', (value) => {
    try {
      const found = statSync(String(value), { throwIfNoEntry: false });
      return !found || found.isDirectory() ? undefined : `must be a folder: "${value}" is none`;
    } catch (error) {
      return `must be a folder: ${(error as Error).message}`;
    }
  });
}

/** `host:port`, with commas between. */
export function AreBrokers(): PropertyDecorator {
  const isBroker = (text: string) => {
    const port = Number(/^[^\s:]+:(\d{1,5})$/.exec(text)?.[1]);
    return port >= 1 && port <= 65_535;
  };
  return check('brokers', (value) =>
    String(value).split(',').every(isBroker) ? undefined : 'must be host:port,host:port',
  );
}

/** `name=value,name=value`: names of headers (RFC 9110), values percent-encoded. */
export function AreHeaders(): PropertyDecorator {
  const isHeader = (text: string) =>
    /^[\w!#$%&'*+.^`|~-]+=(%[\da-f]{2}|[!-$&-+\--~])+$/i.test(text.trim()) && isDecodable(text);
  return check('headers', (value) =>
    String(value).split(',').every(isHeader)
      ? undefined
      : 'must be name=value,name=value with values percent-encoded',
  );
}

/** A file of PEM certificates that can be read now. */
export function IsCertificateFile(): PropertyDecorator {
  return check('certificate-file', (file) => {
    try {
      return readFileSync(String(file), 'utf8').includes('-----BEGIN CERTIFICATE-----')
        ? undefined
        : 'must name a file of certificates in PEM';
    } catch (error) {
      return `cannot be read: ${(error as Error).message}`;
    }
  });
}
