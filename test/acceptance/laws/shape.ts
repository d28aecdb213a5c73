import type { SendRequest } from '../../kit/request.ts'

/** What a client can learn of one field. */
export interface FieldShape {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly primaryKey: boolean
  readonly computed: boolean
  readonly default?: unknown
  readonly values?: readonly string[]
  /** The resource that the field leads to. */
  readonly ref?: string
}

/** What a client can learn of one resource. */
export interface ResourceShape {
  readonly name: string
  readonly key: string
  readonly fields: readonly FieldShape[]
  readonly relationships: Readonly<Record<string, { readonly resource: string }>>
  readonly scopes: readonly string[]
  readonly transitions: readonly string[]
}

/** One way into the server; the resource is there where a record action stands behind it. */
export interface RouteShape {
  readonly method: string
  readonly path: string
  readonly action: string
  /** The last part of the action's name. */
  readonly operation: string
  readonly resource?: ResourceShape
}

/** Everything that can be asked of a server. */
export interface Shape {
  readonly routes: readonly RouteShape[]
  readonly resources: ReadonlyMap<string, ResourceShape>
}

/** Reads the shape of a server from what it tells everybody: its routes and the schema of a domain. */
export async function readShape(request: SendRequest, domain: string): Promise<Shape> {
  const { body: schema } = await request('GET', `/api/v1/domains/${domain}/schema`)
  const { body: known } = await request('GET', '/api/v1/routes')
  const resources = new Map<string, ResourceShape>()
  for (const [name, told] of Object.entries<Told>(schema.data.resources))
    resources.set(name.toLowerCase(), resourceOf(name, told, schema.data.enums))
  const routes = (known.data.routes as RouteShape[]).map(({ method, path, action }) => {
    const [, owner, resource = ''] = action.split('.')
    const found = owner === domain ? resources.get(resource) : undefined
    const operation = action.slice(action.lastIndexOf('.') + 1)
    return { method, path, action, operation, ...(found && { resource: found }) }
  })
  return { routes, resources }
}

interface Told {
  readonly fields: Readonly<Record<string, ToldField>>
  readonly relationships: ResourceShape['relationships']
  readonly scopes: Readonly<Record<string, unknown>>
  readonly stateMachine?: { readonly transitions: Readonly<Record<string, unknown>> }
}

type ToldField = Omit<FieldShape, 'name' | 'values'> & { readonly enum?: readonly string[] | string }

type ToldEnums = Readonly<Record<string, { readonly values: Readonly<Record<string, unknown>> }>>

function resourceOf(name: string, told: Told, enums: ToldEnums): ResourceShape {
  const fields = Object.entries(told.fields).map(([field, { enum: values, ...rest }]) => ({
    ...rest,
    name: field,
    ...(values !== undefined && {
      values: typeof values === 'string' ? Object.keys(enums[values]?.values ?? {}) : values,
    }),
  }))
  return {
    name,
    fields,
    key: fields.find(({ primaryKey }) => primaryKey)?.name ?? 'id',
    relationships: told.relationships,
    scopes: Object.keys(told.scopes),
    transitions: Object.keys(told.stateMachine?.transitions ?? {}),
  }
}
