import { exactSum } from '@svc/store/contract'
import { pickWeighted, type Random } from '../../kit/random.ts'

/** What a formula is, apart from how it is written. */
export type Formula =
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'sum' | 'difference' | 'larger'; readonly left: Formula; readonly right: Formula }
  | { readonly is: 'lookup'; readonly of: string; readonly key: string; readonly name: string }
  | {
      readonly is: 'aggregate'
      readonly of: string
      readonly fn: Fn
      readonly name: string
      readonly filter: Filter
    }

type Fn = 'sum' | 'avg' | 'min' | 'max' | 'count'

/** Which records count: those with the same `group`, those below or above something, or all. */
interface Filter {
  readonly group: boolean
  readonly flag: boolean
  /** A field of the others that is larger than one of the record. */
  readonly over: readonly [other: string, own: string] | undefined
}

export type Cell = number | null

/** A record as it was sent, with its own formulas. */
export interface Sent {
  readonly key: string
  isDeleted: boolean
  readonly plain: Record<string, string | boolean | Cell>
  readonly own: Map<string, Formula>
}

export interface Sheet {
  readonly name: string
  readonly isSoft: boolean
  /** Names of fields that hold numbers, columns among them. */
  readonly numbers: string[]
  /** Formulas by the names of their fields, columns among them. */
  readonly formulas: Map<string, Formula>
  readonly overridable: ReadonlySet<string>
  readonly records: Map<string, Sent>
}

export type World = ReadonlyMap<string, Sheet>

/** Draws the sheets of a domain: no declared formula reads one that comes after it. */
export function drawWorld(random: Random): World {
  const world = new Map<string, Sheet>()
  const count = 2 + random.int(3)
  for (let at = 0; at < count; at += 1)
    world.set(`Sheet${at}`, {
      name: `Sheet${at}`,
      isSoft: random.chance(0.4),
      numbers: ['a', 'b'],
      formulas: new Map(),
      overridable: new Set(['c0', 'c1', 'c2'].filter(() => random.chance(0.6))),
      records: new Map(),
    })
  for (let at = 0; at < count * 3; at += 1) {
    const sheet = random.pick(
      [...world.values()].filter(({ formulas }) => formulas.size < 3 + (at >= count * 2 ? 1 : 0)),
    )
    sheet.formulas.set(`c${sheet.formulas.size}`, drawFormula(random, sheet, world))
  }
  return world
}

const FNS: readonly Fn[] = ['sum', 'avg', 'min', 'max', 'count']

/** A formula that may read everything that is there so far. */
export function drawFormula(random: Random, sheet: Sheet, world: World, depth = 0): Formula {
  const own = [...sheet.numbers, ...sheet.formulas.keys()]
  const kind = pickWeighted(random, [
    [1, 'number'],
    [3, 'field'],
    [depth < 2 ? 3 : 0, 'pair'],
    [2, 'lookup'],
    [3, 'aggregate'],
  ] as const)
  if (kind === 'number') return { is: 'number', value: random.int(9) }
  if (kind === 'field') return { is: 'field', name: random.pick(own) }
  if (kind === 'pair')
    return {
      is: random.pick(['sum', 'difference', 'larger'] as const),
      left: drawFormula(random, sheet, world, depth + 1),
      right: drawFormula(random, sheet, world, depth + 1),
    }
  const other = random.pick([...world.values()])
  const name = random.pick([...other.numbers, ...other.formulas.keys()])
  if (kind === 'lookup') return { is: 'lookup', of: other.name, key: 'link', name }
  return {
    is: 'aggregate',
    of: other.name,
    fn: random.pick(FNS),
    name,
    filter: {
      group: random.chance(0.7),
      flag: random.chance(0.3),
      over: random.chance(0.3)
        ? [random.pick([...other.numbers, ...other.formulas.keys()]), random.pick(own)]
        : undefined,
    },
  }
}

/** The formula as AEL has it. */
export function written(formula: Formula): string {
  switch (formula.is) {
    case 'number':
      return String(formula.value)
    case 'field':
      return formula.name
    case 'sum':
      return `(${written(formula.left)} + ${written(formula.right)})`
    case 'difference':
      return `(${written(formula.left)} - ${written(formula.right)})`
    case 'larger': {
      const [left, right] = [written(formula.left), written(formula.right)]
      return `(${left} > ${right} ? ${left} : ${right})`
    }
    case 'lookup':
      return `lookup('${formula.of}', ${formula.key}, '${formula.name}')`
    case 'aggregate': {
      const filter = writtenFilter(formula.filter)
      return `aggregate('${formula.of}', '${formula.fn}', '${formula.name}'${filter === '' ? '' : `, '${filter}'`})`
    }
  }
}

const writtenFilter = ({ group, flag, over }: Filter): string =>
  [
    ...(group ? ['team == $record.team'] : []),
    ...(flag ? ['flag'] : []),
    ...(over ? [`${over[0]} > $record.${over[1]}`] : []),
  ].join(' and ')

/** A field of some record that a formula reads, and whether that is another record. */
export interface Read {
  readonly sheet: string
  readonly name: string
  readonly isAcross: boolean
}

/** All that a formula of a sheet reads. */
export function readsOf(formula: Formula, sheet: string): readonly Read[] {
  switch (formula.is) {
    case 'number':
      return []
    case 'field':
      return [{ sheet, name: formula.name, isAcross: false }]
    case 'lookup':
      return [{ sheet: formula.of, name: formula.name, isAcross: true }]
    case 'aggregate': {
      const { of, name, filter } = formula
      const over = filter.over
        ? [
            { sheet: of, name: filter.over[0], isAcross: true },
            { sheet, name: filter.over[1], isAcross: false },
          ]
        : []
      return [{ sheet: of, name, isAcross: true }, ...over]
    }
    default:
      return [...readsOf(formula.left, sheet), ...readsOf(formula.right, sheet)]
  }
}

/** The formula with another name of a column of a sheet; `of` is the sheet that the formula stands in. */
export function renamed(formula: Formula, of: string, sheet: string, from: string, to: string): Formula {
  const own = (name: string) => (of === sheet && name === from ? to : name)
  switch (formula.is) {
    case 'number':
      return formula
    case 'field':
      return { ...formula, name: own(formula.name) }
    case 'lookup':
      return { ...formula, name: formula.of === sheet && formula.name === from ? to : formula.name }
    case 'aggregate': {
      const other = (name: string) => (formula.of === sheet && name === from ? to : name)
      const { over } = formula.filter
      return {
        ...formula,
        name: other(formula.name),
        filter: { ...formula.filter, over: over && [other(over[0]), own(over[1])] },
      }
    }
    default:
      return {
        ...formula,
        left: renamed(formula.left, of, sheet, from, to),
        right: renamed(formula.right, of, sheet, from, to),
      }
  }
}

/** Works every value of every record out anew, by nothing but what was sent. Throws where formulas go in a circle. */
export function workedOut(world: World): (sheet: string, key: string, name: string) => Cell {
  const known = new Map<string, Cell>()
  const open = new Set<string>()
  const valueOf = (sheetName: string, key: string, name: string): Cell => {
    const sheet = world.get(sheetName)!
    const record = sheet.records.get(key)!
    const formula = record.own.get(name) ?? sheet.formulas.get(name)
    if (formula === undefined) return (record.plain[name] as Cell | undefined) ?? null
    const id = JSON.stringify([sheetName, key, name])
    const found = known.get(id)
    if (found !== undefined) return found
    if (open.has(id)) throw new Error(`a circle through ${id}`)
    open.add(id)
    const value = evaluate(formula, sheet, record)
    open.delete(id)
    known.set(id, value)
    return value
  }
  const evaluate = (formula: Formula, sheet: Sheet, record: Sent): Cell => {
    switch (formula.is) {
      case 'number':
        return formula.value
      case 'field':
        return valueOf(sheet.name, record.key, formula.name)
      case 'lookup': {
        const key = record.plain[formula.key]
        const other = typeof key === 'string' ? world.get(formula.of)!.records.get(key) : undefined
        return other === undefined || other.isDeleted ? null : valueOf(formula.of, other.key, formula.name)
      }
      case 'aggregate': {
        const own = (name: string) => valueOf(sheet.name, record.key, name)
        const counting = [...world.get(formula.of)!.records.values()].filter(
          (other) => !other.isDeleted && counts(formula, other, record, own),
        )
        const values = counting
          .map((other) => valueOf(formula.of, other.key, formula.name))
          .filter((value) => value !== null)
        return aggregated(formula.fn, values)
      }
      default: {
        const [left, right] = [evaluate(formula.left, sheet, record), evaluate(formula.right, sheet, record)]
        if (formula.is === 'larger') return left !== null && right !== null && left > right ? left : right
        if (left === null || right === null) return null
        return formula.is === 'sum' ? left + right : left - right
      }
    }
  }
  const counts = (
    { of, filter }: Extract<Formula, { is: 'aggregate' }>,
    other: Sent,
    record: Sent,
    own: (name: string) => Cell,
  ): boolean => {
    if (filter.group && (other.plain['team'] ?? null) !== (record.plain['team'] ?? null)) return false
    if (filter.flag && other.plain['flag'] !== true) return false
    if (filter.over === undefined) return true
    const [left, right] = [valueOf(of, other.key, filter.over[0]), own(filter.over[1])]
    return left !== null && right !== null && left > right
  }
  return valueOf
}

function aggregated(fn: Fn, values: readonly number[]): Cell {
  if (fn === 'count') return values.length
  if (fn === 'sum') return exactSum(values) ?? 0
  if (values.length === 0) return null
  if (fn === 'avg') return (exactSum(values) ?? 0) / values.length
  return fn === 'min' ? Math.min(...values) : Math.max(...values)
}

/** Whether formulas go in a circle: within a record by its own ones, across records by field over all that there are. */
export function goesRound(world: World): boolean {
  for (const sheet of world.values())
    for (const record of sheet.records.values()) if (goesRoundWithin(sheet, record)) return true
  const edges = new Map<string, Set<string>>()
  const across: [string, string][] = []
  for (const sheet of world.values()) {
    const all = [...sheet.formulas, ...[...sheet.records.values()].flatMap(({ own }) => [...own])]
    for (const [name, formula] of all)
      for (const read of readsOf(formula, sheet.name)) {
        const [from, to] = [`${sheet.name}.${name}`, `${read.sheet}.${read.name}`]
        edges.set(from, (edges.get(from) ?? new Set()).add(to))
        if (read.isAcross) across.push([from, to])
      }
  }
  return across.some(([from, to]) => leads(to, from, edges))
}

function goesRoundWithin(sheet: Sheet, { own }: Sent): boolean {
  const edges = new Map(
    [...sheet.formulas].map(([name, declared]) => [
      name,
      new Set(
        readsOf(own.get(name) ?? declared, sheet.name)
          .filter(({ isAcross }) => !isAcross)
          .map((read) => read.name),
      ),
    ]),
  )
  return [...edges.keys()].some((name) => [...edges.get(name)!].some((next) => leads(next, name, edges)))
}

function leads(from: string, to: string, edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const met = new Set([from])
  for (const one of met) {
    if (one === to) return true
    for (const next of edges.get(one) ?? []) met.add(next)
  }
  return false
}

/** The domain as its definition has it. */
export const writtenWorld = (name: string, world: World): string =>
  JSON.stringify({
    domain: {
      name,
      version: '1',
      resources: Object.fromEntries([...world.values()].map((sheet) => [sheet.name, writtenSheet(sheet)])),
    },
  })

const OPEN = ['*']

const writtenSheet = ({ formulas, overridable, isSoft }: Sheet): unknown => ({
  mode: 'sheet',
  dynamicFields: { permissions: { addColumn: OPEN, renameColumn: OPEN, deleteColumn: OPEN } },
  computedFields: {
    crossRecord: true,
    reactive: true,
    maxDepth: 50,
    overridable: [...overridable].filter((one) => formulas.has(one)),
  },
  object: {
    key: { type: 'string', primaryKey: true },
    team: 'string',
    link: 'string',
    flag: 'boolean',
    a: 'decimal',
    b: 'decimal',
    ...(isSoft && { deletedAt: 'datetime' }),
  },
  computed: Object.fromEntries(
    [...formulas].map(([name, formula]) => [name, { type: 'decimal', expression: written(formula) }]),
  ),
  features: { ...(isSoft && { softDelete: true }) },
  permissions: { list: OPEN, get: OPEN, create: OPEN, update: OPEN, delete: OPEN },
})
