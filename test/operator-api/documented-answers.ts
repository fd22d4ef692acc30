import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { HttpReply } from '../support/http-client.js';
import type { OperatorApi } from '../support/operator-api.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Answer {
  readonly content?: Readonly<Record<string, { schema: object }>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}

/** The same API, which fails when an answer or the code of a refusal is not as `/api/openapi.json` says. */
export async function documentedAnswers(api: OperatorApi): Promise<OperatorApi> {
  const document = (await api.get('/api/openapi.json')).as<Document>();
  const ajv = new Ajv({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv) => Ajv)(ajv);
  ajv.addSchema({ ...document, $id: 'api' }, 'api');
  const known = new Map<string, ValidateFunction>();
  const validatorOf = (method: string, path: string, status: number): ValidateFunction | undefined => {
    const [place = ''] = path.split('?');
    const paths = Object.keys(document.paths).filter((one) => matches(one, place));
    // A path without parameters goes before one that has them.
    const pattern = paths.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? '';
    const operation = document.paths[pattern]?.[method.toLowerCase()];
    const response: Answer | { readonly $ref: string } = operation?.responses[status] ?? {};
    const answer: Answer | undefined =
      '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
    const [content] = Object.values(answer?.content ?? {});
    if (content === undefined) return undefined;
    const key = `${method} ${pattern} ${status}`;
    const validate = known.get(key) ?? ajv.compile({ ...content.schema, components: document.components });
    known.set(key, validate);
    return validate;
  };
  const request: OperatorApi['request'] = async (method, path, options) => {
    const reply = await api.request(method, path, options);
    const validate = validatorOf(method, path, reply.status);
    if (validate === undefined) throw new Error(`${method} ${path} answers ${reply.status}, which is not documented`);
    expectValid(validate, reply, `${method} ${path}`);
    return reply;
  };
  return {
    request,
    get: (path) => request('GET', path),
    post: (path, json) => request('POST', path, json === undefined ? {} : { json }),
    put: (path, json) => request('PUT', path, { json }),
    patch: (path, json) => request('PATCH', path, { json }),
    delete: (path) => request('DELETE', path),
    close: () => api.close(),
  };
}

function matches(pattern: string, place: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(place);
}

function expectValid(validate: ValidateFunction, reply: HttpReply, name: string): void {
  const isJson = /json/.test(reply.headers['content-type'] ?? '');
  if (validate(isJson ? reply.json : reply.text)) return;
  const faults = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  throw new Error(`${name} is not answered as documented: ${faults}: ${reply.text}`);
}
