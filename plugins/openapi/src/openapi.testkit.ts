import { createFieldTypes } from '../../domain/src/fields/index.ts'
import { loadDefinition } from '../../domain/src/definition/load.ts'
import { buildModel, type Model } from '../../domain/src/model/model.ts'
import { createReport } from '../../domain/src/model/report.ts'
import { recordActions } from '../../domain/src/operations/index.ts'
import { type Domains, DomainsCapability } from '@svc/domain/contract'
import { type Action, createKernel, definePlugin, type Kernel, type Plugin } from '@svc/kernel'
import { openapi } from './index.ts'

/** Compiles a definition with the engine's own field types. */
export async function modelOf(text: string): Promise<Model> {
  const types = createFieldTypes()
  const extensions = { typeAttributes: types.attributes, domainBlocks: {}, resourceBlocks: {} }
  const { definition, checksum } = await loadDefinition({ text }, { extensions, variables: () => undefined })
  const report = createReport()
  const model = buildModel(definition, { types, checksum: () => checksum, report })
  if (report.problems.length > 0) throw new Error(report.problems.map(({ message }) => message).join('; '))
  return model
}

/** A kernel that documents whatever is mounted in it; nothing of it can be called, as there is no store. */
export interface Documented {
  readonly kernel: Kernel
  /** Mounts the actions of a definition, replacing those of its domain. */
  mount(definition: string): Promise<Model>
  /** Runs the action behind a route. */
  get(
    route: string,
    request?: {
      params?: Record<string, string>
      query?: Record<string, string>
      headers?: Record<string, string>
    },
  ): Promise<{
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly type: string | undefined
    readonly body: string | Uint8Array
  }>
  /** The service document, or that of one domain. */
  document(domain?: string): Promise<OpenApi>
}

/** A document whose parts tests look into. */
export interface OpenApi {
  readonly openapi: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [part: string]: any
}

/** Starts the plugin beside `plugins`. */
export async function startDocumented(
  actions: readonly Action[] = [],
  plugins: readonly Plugin[] = [],
): Promise<Documented> {
  const models = new Map<string, Model>()
  const engine = definePlugin({
    name: 'domain',
    phase: 'domain',
    provides: DomainsCapability,
    setup(ctx): Domains {
      ctx.actions.add(...actions)
      return {
        list: () => [...models.values()],
        described: () => [...models.values()],
        model: (name) => models.get(name),
        limits: { bulk: 1000 },
        fieldType: () => undefined,
        block: () => undefined,
        keep: () => undefined,
        speak: () => undefined,
        aspect: () => undefined,
        expressionFunction: () => undefined,
        mentioning: () => undefined,
        language() {
          throw new Error('documents have no use for the language')
        },
      }
    },
  })
  const kernel = createKernel({
    plugins: [engine, openapi, ...plugins],
    release: { version: '9.9.9', build: '1', commit: 'c' },
  })
  await kernel.start()

  const get: Documented['get'] = async (route, { params = {}, query = {}, headers = {} } = {}) => {
    const action = kernel.actions.list().find(({ routes }) => routes?.some((one) => one === route))
    if (action === undefined) throw new Error(`no action has the route '${route}'`)
    const meta = (name: string) => headers[name]
    const signal = new AbortController().signal
    const inbound = { id: 'r1', transport: 'test', remote: '', params, query, meta, signal }
    const { body = '', ...answer } = await kernel.pipeline.run(action, inbound)
    if (body instanceof ReadableStream) throw new Error('a stream was not expected')
    return { ...answer, body }
  }
  return {
    kernel,
    get,
    async mount(definition) {
      const model = await modelOf(definition)
      models.set(model.name, model)
      // Documents look at what actions say of themselves: no handler runs.
      kernel.actions.mount(`svc.${model.name}.`, recordActions({ model, runtime: {} } as never))
      return model
    },
    async document(domain) {
      const { body } =
        domain === undefined
          ? await get('GET /api/v1/openapi.json')
          : await get('GET /api/v1/domains/:domain/openapi.json', { params: { domain } })
      return JSON.parse(String(body))
    },
  }
}
