import { apiDescription } from './api-description';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

interface Described {
  path: RegExp;
  parameters: number;
  methods: string[];
}

let described: Described[] | undefined;

/**
 * The methods of an address, in upper case; none when nothing is there. They come from the API description, not from
 * the router: reads and writes may be served by processes that do not know each other's routes.
 * @param url path, with or without a query
 */
export function methodsAt(url: string): string[] {
  described ??= readDescription();
  const path = url.split('?', 1)[0];
  const [found] = described
    .filter((one) => one.path.test(path))
    .sort((one, other) => one.parameters - other.parameters);
  return found?.methods ?? [];
}

function readDescription(): Described[] {
  return Object.entries(apiDescription().paths).map(([template, item]) => {
    const parts = template.split(/\{[^}]+\}/);
    const methods = METHODS.filter((method) => method in item).map((method) => method.toUpperCase());
    return {
      path: new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[^/]+')}$`),
      parameters: parts.length - 1,
      methods: methods.includes('GET') ? ['HEAD', ...methods] : methods,
    };
  });
}
