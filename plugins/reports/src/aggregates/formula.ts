import { didYouMean, type Field, type Path, type Resource, type Site } from '@svc/domain/contract'
import {
  type BindingContext,
  compile,
  errorAt,
  ExpressionError,
  type Kind,
  kindOfColumn,
  type Term,
  translateValue,
} from '@svc/expression/contract'
import type { Column, Scalar, Value } from '@svc/store/contract'
import { type Reads, refuseSecret, refuseSecrets } from '../door/readable.ts'
import type { ViewColumn } from '../views/view.ts'
import type { Counted } from './counted.ts'

/** What the store works out of each record. */
export interface Formula {
  /** As it is written. */
  readonly source: string
  readonly kind: Kind
  /** What it is made of. */
  readonly reads: Reads
  /** The field whose value it is, where it is one. */
  readonly field: Field | undefined
  /** Where that is a field of the source: it has to be readable itself. */
  readonly isOwn: boolean
  /** The resource that it goes through, whose records have to be listed. */
  readonly through: Resource | undefined
  /** The column that it stands in, where it is one of the source. */
  readonly column: Column | undefined
  scalar(binding: BindingContext): Scalar
}

/** The formula of a field or a column of a source, `customer.name` among them; undefined where it was reported as wrong. */
export function compileFormula(name: string, counted: Counted, site: Site, path: Path): Formula | undefined {
  const { resource, view } = counted
  if (view) {
    const column = view.columns.find((one) => one.name === name)
    if (column) return formulaOfColumn(column, resource, site, path)
    site.problem(
      path,
      `the view '${view.name}' has no column '${name.slice(0, 60)}'`,
      didYouMean(
        name,
        view.columns.map((one) => one.name),
      ),
    )
    return undefined
  }
  if (name.includes('.')) return reached(name, resource, site, path)
  const field = resource.fields.get(name)
  if (field) return refuseSecret(field, path, site) ? undefined : formulaOfField(field, resource, site, path)
  site.problem(
    path,
    `'${resource.name}' has no field '${name.slice(0, 60)}'`,
    didYouMean(name, resource.fields.keys()),
  )
  return undefined
}

/** The formula of a column of a view. */
export function formulaOfColumn(
  { of }: ViewColumn,
  source: Resource,
  site: Site,
  path: Path,
): Formula | undefined {
  if (of.kind === 'field') return formulaOfField(of.field, source, site, path)
  if (of.kind === 'computed') return worked(of.expression.source, source, site, path)
  const made = worked(of.path, source, site, path)
  return made && { ...made, field: of.field, through: of.target }
}

function formulaOfField(field: Field, source: Resource, site: Site, path: Path): Formula | undefined {
  const { column, compiled, computed, name } = field
  if (column) {
    if (column.kind === 'json' || column.codec) {
      site.problem(path, `'${name}' cannot be worked with by the database`)
      return undefined
    }
    return {
      source: name,
      kind: kindOfColumn(compiled.type.column),
      reads: { fields: new Set([name]), reach: new Map() },
      field,
      isOwn: true,
      through: undefined,
      column,
      scalar: () => ({ op: 'column', column }),
    }
  }
  if (computed === undefined) return undefined
  const made = worked(computed.expression.source, source, site, path)
  return made && { ...made, field, isOwn: true, kind: kindOfColumn(compiled.type.column) }
}

/** A field of the one record that a belongsTo leads to. */
function reached(written: string, source: Resource, site: Site, path: Path): Formula | undefined {
  const [first = '', name = '', ...further] = written.split('.')
  const relationship = source.relationships.get(first)
  if (relationship?.kind !== 'belongsTo' || further.length > 0) {
    const why =
      relationship === undefined
        ? `'${source.name}' has no relationship '${first.slice(0, 60)}'`
        : `'${written.slice(0, 60)}' goes further than one belongsTo`
    site.problem(path, why, didYouMean(first, source.relationships.keys()))
    return undefined
  }
  const { target } = relationship
  const through = target.kind === 'resource' ? site.model.resources.get(target.name) : undefined
  const field = through?.fields.get(name)
  if (field && refuseSecret(field, path, site)) return undefined
  const made = worked(written, source, site, path)
  return made && { ...made, field, through }
}

/** What an expression over a source comes to in the words of the store. */
function worked(text: string, source: Resource, site: Site, path: Path): Formula | undefined {
  const made = site.compiled(text, path, { resource: source, moment: 'read' }, (written, vocabulary) => {
    const expression = compile(written, vocabulary)
    const bind = translateValue(expression, { vocabulary, columns: columnsOf(source) })
    if (bind === undefined)
      throw new ExpressionError([
        errorAt(0, 'the database cannot work this out', 'Use stored fields, and functions that it has'),
      ])
    return { expression, bind, warnings: [] }
  })
  if (made === undefined) return undefined
  const { expression, bind } = made
  refuseSecrets(expression, source, path, site)
  return {
    source: text,
    kind: expression.kind,
    reads: expression,
    field: undefined,
    isOwn: false,
    through: undefined,
    column: undefined,
    scalar: (binding) => scalarOf(bind(binding)),
  }
}

/** The columns of a resource's fields by their names. */
export const columnsOf = ({ fields }: Resource): ReadonlyMap<string, Column> =>
  new Map([...fields.values()].flatMap(({ name, column }) => (column ? [[name, column]] : [])))

const scalarOf = ({ scalar, ...term }: Term): Scalar =>
  scalar ?? constantOf('value' in term ? term.value : null)

function constantOf(value: Value): Scalar {
  if (typeof value === 'number') return { op: 'value', type: 'number', value }
  if (typeof value === 'boolean') return { op: 'value', type: 'boolean', value }
  return { op: 'value', type: 'text', value: typeof value === 'string' ? value : null }
}
