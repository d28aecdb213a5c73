import { didYouMean, type Path, type Resource, type Site } from '@svc/domain/contract'
import { refuseSecret, refuseSecrets } from '../door/readable.ts'
import { compileFormat, formatOfField, formatOfKind } from '../formats/format.ts'
import { STYLES, type WrittenColumn } from './definition.ts'
import type { ColumnSource, Highlight, ViewColumn } from './view.ts'
import { word } from '../words.ts'

type Written = Exclude<WrittenColumn, string>

/** Compiles the columns of a view; those that were reported as wrong are left out. */
export function compileColumns(
  written: readonly WrittenColumn[],
  source: Resource,
  site: Site,
  path: Path,
): readonly ViewColumn[] {
  const seen = new Set<string>()
  return written.flatMap((one, at) => {
    const place = [...path, at]
    const column = compileColumn(typeof one === 'string' ? { field: one } : one, source, site, place)
    if (column === undefined) return []
    if (column.name.startsWith('_'))
      site.problem(
        [...place, 'name'],
        `'${column.name}' begins with _, as what answers say of themselves does`,
      )
    if (column.name === source.key.name && !(column.of.kind === 'field' && column.of.field === source.key))
      site.problem([...place, 'name'], `'${column.name}' is the key, which every row shows by that name`)
    if (seen.has(column.name))
      site.problem(place, `there are two columns called '${column.name}'`, 'Give one of them a name')
    seen.add(column.name)
    return column
  })
}

function compileColumn(written: Written, source: Resource, site: Site, path: Path): ViewColumn | undefined {
  const { field, computed } = written
  if (field !== undefined && computed !== undefined) {
    site.problem(path, 'has a field and is computed', 'Write one of both')
    return undefined
  }
  if (field === undefined && computed === undefined) {
    site.problem(path, 'shows nothing', 'Write field, or name and computed')
    return undefined
  }
  if (computed !== undefined && written.name === undefined) {
    site.problem(path, 'is computed and has no name', 'Write name')
    return undefined
  }
  const of =
    computed === undefined
      ? fieldSource(field!, source, site, [...path, 'field'])
      : computedSource(computed, source, site, [...path, 'computed'])
  if (of === undefined) return undefined
  const name = written.name ?? field!
  const shown = of.kind === 'computed' ? undefined : of.field
  const usual =
    of.kind === 'computed' ? formatOfKind(of.expression.kind) : shown ? formatOfField(shown) : 'text'
  return {
    name,
    label: word('views', [...path.slice(0, -1), name, 'label'], written.label, site),
    fieldLabel: shown?.label,
    format: compileFormat(written.format, usual, [...path, 'format'], site),
    enumeration: shown?.labels,
    of,
    highlights: compileHighlights(written.highlight, source, site, [...path, 'highlight']),
  }
}

function fieldSource(name: string, source: Resource, site: Site, path: Path): ColumnSource | undefined {
  if (name.includes('.')) return reachedSource(name, source, site, path)
  const field = source.fields.get(name)
  if (field === undefined) {
    site.problem(
      path,
      `'${source.name}' has no field '${name.slice(0, 60)}'`,
      didYouMean(name, source.fields.keys()),
    )
    return undefined
  }
  return refuseSecret(field, path, site) ? undefined : { kind: 'field', field }
}

/** What everybody may know of an account. */
const OF_ACCOUNTS = ['id', 'username']

/** A field of the one record that a relationship leads to. */
function reachedSource(path: string, source: Resource, site: Site, at: Path): ColumnSource | undefined {
  const [relationName = '', fieldName = '', ...further] = path.split('.')
  const relationship = source.relationships.get(relationName)
  if (relationship === undefined) {
    site.problem(
      at,
      `'${source.name}' has no relationship '${relationName.slice(0, 60)}'`,
      didYouMean(relationName, source.relationships.keys()),
    )
    return undefined
  }
  if (further.length > 0 || relationship.kind !== 'belongsTo') {
    const why =
      further.length > 0
        ? 'goes through more than one relationship'
        : `goes through '${relationName}', which leads to many records`
    site.problem(at, why, 'A column reads through one belongsTo')
    return undefined
  }
  const target =
    relationship.target.kind === 'resource' ? site.model.resources.get(relationship.target.name) : undefined
  const field = target?.fields.get(fieldName)
  const names = target ? [...target.fields.keys()] : OF_ACCOUNTS
  if (target ? field === undefined : !OF_ACCOUNTS.includes(fieldName)) {
    const whose = target ? `'${target.name}' has no field` : 'an account shows no field'
    site.problem(at, `${whose} '${fieldName.slice(0, 60)}'`, didYouMean(fieldName, names))
    return undefined
  }
  if (field && refuseSecret(field, at, site)) return undefined
  const expression = site.expression(path, at, { resource: source, moment: 'read' })
  return (
    expression && {
      kind: 'reached',
      path,
      near: relationship.foreignKey,
      target,
      field,
      fieldName,
      expression,
    }
  )
}

function computedSource(
  computed: string,
  source: Resource,
  site: Site,
  path: Path,
): ColumnSource | undefined {
  const expression = site.expression(computed, path, { resource: source, moment: 'read' })
  if (expression) refuseSecrets(expression, source, path, site)
  return expression && { kind: 'computed', expression }
}

function compileHighlights(
  written: Written['highlight'],
  source: Resource,
  site: Site,
  path: Path,
): readonly Highlight[] {
  if (written === undefined) return []
  const entries = typeof written === 'string' ? [['warning', written] as const] : Object.entries(written)
  return entries.flatMap(([style, text]) => {
    const known = STYLES.find((one) => one === style)
    if (known === undefined || text === undefined) return []
    const at = typeof written === 'string' ? path : [...path, style]
    const condition = site.expression(text, at, { resource: source, moment: 'read', kind: 'boolean' })
    if (condition) refuseSecrets(condition, source, at, site)
    return condition ? { style: known, condition } : []
  })
}
