import { sql } from 'kysely'
import type { Sql } from '../compile/dialect.ts'
import { type CalendarUnit, MAX_TEXT, type ScalarFunction } from '../plan.ts'

const MAX_DOUBLE = sql.raw(`'1.7976931348623157e308'::float8`)
/** 2^970: what this much or more is added to the largest double is past it. */
const HALF_STEP = sql.raw(`'9.9792015476736e291'::float8`)
const MAX_WHOLE = sql.raw('9007199254740992')
const MAX_LENGTH = sql.raw(String(MAX_TEXT))
const EARLIEST = sql.raw(String(Date.parse('0001-01-01T00:00:00.000Z')))
const LATEST = sql.raw(String(Date.parse('9999-12-31T23:59:59.999Z')))
const DAY = sql.raw('86400000')
/** More than any text has, and little enough for PostgreSQL's integers. */
const FAR = sql.raw('1000000000')
/** Powers of e: between these a double comes to its end, and below the third it is 0. PostgreSQL fails at both. */
const LARGE = sql.raw('709')
const BEYOND = sql.raw('710')
const UNDERFLOW = sql.raw('-745.13')
/** 2^-512. */
const ROOT = sql.raw(`'7.458340731200207e-155'::float8`)
/** What JavaScript calls white space, as ECMAScript's WhiteSpace and LineTerminator list it. */
const WHITE =
  '\\t\\n\\u000b\\f\\r \\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/** A text that compares by code point, whatever collation it was made with. */
export const byCodePoint = (text: Sql): Sql => sql`(${text} collate "C")`

/** Names that no column has. */
const [A, B, C, D] = [sql.id('~a'), sql.id('~b'), sql.id('~c'), sql.id('~d')] as const

/** 2^1024 - 2^970: from here on the nearest double is past the largest. */
const PAST_DOUBLES = sql.raw(String(2n ** 1024n - 2n ** 970n))

/**
 * A double by its shortest decimal digits. Half-way to the next double PostgreSQL writes one digit more than JavaScript does,
 * which reads the even one of the two there; that takes a whole number of 16 digits, and no more than these.
 */
const digitsOf = (double: Sql): Sql => {
  const written = sql`${double}::text::numeric`
  const shorter = sql`round(${written}, 16 - length(trunc(abs(${written}))::text))`
  const even = sql`case when ${shorter}::float8 = ${double} then ${shorter} else ${written} end`
  return sql`case when abs(${double}) between ${MAX_WHOLE} and 1e40 then ${even} else ${written} end`
}

/** The sum over rows by their shortest decimal digits. */
export const exactSum = (number: Sql, rows: Sql): Sql => {
  const numbers = sql`select ${number} as ${B} ${rows} offset 0`
  const total = sql`select coalesce(sum(${digitsOf(B)}), 0) as ${A} from (${numbers}) as "~numbers"`
  return sql`(select case when abs(${A}) < ${PAST_DOUBLES} then ${A}::float8 end from (${total}) as "~sum")`
}

type Call = (...args: readonly Sql[]) => Sql

/**
 * Names the arguments of a function, so that its body can use each more than once without working it out again.
 * `offset 0` keeps the planner from putting the arguments in place of their names.
 */
const named =
  (body: (...names: readonly [Sql, Sql, Sql]) => Sql): Call =>
  (...values) => {
    const columns = sql.join(values.map((value, i) => sql`${value} as ${[A, B, C][i] ?? C}`))
    return sql`(select ${body(A, B, C)} from (select ${columns} offset 0) as "~")`
  }

/** An instant as a timestamp. Days are apart from the rest: all of it in seconds is more than a double keeps. */
const moment = (at: Sql): Sql =>
  sql`(timestamp 'epoch' + make_interval(days => floor(${at} / ${DAY})::int, secs => (${at} - floor(${at} / ${DAY}) * ${DAY}) / 1000))`

const inRange = (at: Sql): Sql => sql`${at} between ${EARLIEST} and ${LATEST}`
const milliseconds = (timestamp: Sql): Sql => sql`(extract(epoch from ${timestamp}) * 1000)::float8`

const written = (pattern: string) =>
  named((at) => sql`case when ${inRange(at)} then to_char(${moment(at)}, ${sql.lit(pattern)}) end`)

const part = (name: string) =>
  named((at) => sql`case when ${inRange(at)} then extract(${sql.raw(name)} from ${moment(at)})::float8 end`)

const isPosition = (x: Sql): Sql => sql`${x} = trunc(${x}) and ${x} >= 0`
const isWhole = (x: Sql): Sql => sql`${x} = trunc(${x}) and abs(${x}) <= ${MAX_WHOLE}`
/** A position or a count as one of PostgreSQL's integers. */
const position = (x: Sql): Sql => sql`least(${x}, ${FAR})::int`

const addDoubles = named(
  (a, b) =>
    sql`case when (${a} < 0) <> (${b} < 0) or abs(${b}) - ${HALF_STEP} < ${MAX_DOUBLE} - abs(${a}) then ${a} + ${b} end`,
)

/**
 * A product or quotient. `size` is the power of e that it comes to, and `small` what it is times 2^-1024, for one that
 * is large: so the largest double is told from the first number past it.
 */
const scaled = (operator: '*' | '/', size: (a: Sql, b: Sql) => Sql, small: (a: Sql, b: Sql) => Sql) =>
  named((a, b) => {
    const result = sql`${a} ${sql.raw(operator)} ${b}`
    const power = size(sql`ln(abs(${a}))`, sql`ln(abs(${b}))`)
    return sql`case when ${b} = 0 then ${operator === '/' ? sql`null` : result} when ${a} = 0 then ${result}
      when ${power} > ${BEYOND} then null when ${power} > ${LARGE} then case when abs(${small(a, b)}) < 1 then ${result} end
      when ${power} < ${UNDERFLOW} then 0 else ${result} end`
  })

const multiplyDoubles = scaled(
  '*',
  (a, b) => sql`${a} + ${b}`,
  (a, b) => sql`(${a} * ${ROOT}) * (${b} * ${ROOT})`,
)

const divideDoubles = scaled(
  '/',
  (a, b) => sql`${a} - ${b}`,
  (a, b) => sql`(${a} * ${ROOT}) / (${b} / ${ROOT})`,
)

const powerOfTen = (power: Sql): Sql => sql`power(10::numeric, ${power})`

/** Arithmetic by decimal digits, as `ARITHMETIC` has it: on the digits where they fit, else on the doubles. */
const byDigits = (doubles: Call, fit: (a: Sql, b: Sql) => Sql, digits: (a: Sql, b: Sql) => Sql) =>
  named((a, b) => {
    const numerics = sql`select ${a}::text::numeric as ${C}, ${b}::text::numeric as ${D} offset 0`
    const worked = sql`select case when ${fit(C, D)} then ${digits(C, D)} else ${doubles(a, b)} end from (${numerics}) as "~~"`
    return sql`case when ${a} = trunc(${a}) and ${b} = trunc(${b}) then ${doubles(a, b)} else (${worked}) end`
  })

/** Of the smallest common unit there are fewer than 10^15 in each. */
const haveUnits = (a: Sql, b: Sql): Sql => {
  const most = powerOfTen(sql`15 - ${commonScale(a, b)}`)
  return sql`${commonScale(a, b)} <= 15 and abs(${a}) < ${most} and abs(${b}) < ${most}`
}

const commonScale = (a: Sql, b: Sql): Sql => sql`greatest(scale(${a}), scale(${b}))`

/** Each has fifteen digits at most, and the product is a whole number of units that a double keeps. */
const haveProduct = (a: Sql, b: Sql): Sql => {
  const isShort = (x: Sql) => sql`scale(${x}) <= 15 and abs(${x}) < ${powerOfTen(sql`15 - scale(${x})`)}`
  const places = sql`scale(${a}) + scale(${b})`
  return sql`${isShort(a)} and ${isShort(b)} and ${places} <= 22 and abs(${a} * ${b}) * ${powerOfTen(places)} < ${MAX_WHOLE}`
}

const inUnits = (x: Sql, a: Sql, b: Sql): Sql => sql`(${x} * ${powerOfTen(commonScale(a, b))})::float8`

const add = byDigits(addDoubles, haveUnits, (a, b) => sql`(${a} + ${b})::float8`)

/**
 * The functions of scalars. PostgreSQL fails where JavaScript goes on: a number that leaves the doubles or the
 * integers, a timestamp out of range, a text too long. Each function looks for that before it happens.
 */
export const postgresFunctions = (lowerCollation: string): Readonly<Record<ScalarFunction, Call>> => ({
  add,
  subtract: (a: Sql, b: Sql) => add(a, sql`(- ${b})`),
  multiply: byDigits(multiplyDoubles, haveProduct, (a, b) => sql`(${a} * ${b})::float8`),
  divide: byDigits(
    divideDoubles,
    (a, b) => sql`${b} <> 0 and ${haveUnits(a, b)}`,
    (a, b) => sql`${inUnits(a, a, b)} / ${inUnits(b, a, b)}`,
  ),
  remainder: named(
    (a, b) =>
      sql`case when ${b} <> 0 and ${isWhole(a)} and ${isWhole(b)} then mod(${a}::bigint, ${b}::bigint)::float8 end`,
  ),
  negate: (a: Sql) => sql`(- ${a})`,
  abs: (a: Sql) => sql`abs(${a})`,
  floor: (a: Sql) => sql`floor(${a})`,
  ceil: (a: Sql) => sql`ceil(${a})`,
  truncate: (a: Sql) => sql`trunc(${a})`,
  round: named((x, digits) => {
    const rounded = sql`round(${x}::text::numeric, least(greatest(${digits}, -2000), 2000)::int) as ${C}`
    // Out of what a double holds, there was nothing to round.
    const kept = sql`case when abs(${C}) <= 1.7976931348623157e308 then ${C}::float8 else ${x} end`
    return sql`case when ${digits} = trunc(${digits}) then (select ${kept} from (select ${rounded} offset 0) as "~~") end`
  }),
  min: named((a, b) => sql`case when ${a} <= ${b} then ${a} when ${b} < ${a} then ${b} end`),
  max: named((a, b) => sql`case when ${a} >= ${b} then ${a} when ${b} > ${a} then ${b} end`),
  whole: named((a) => sql`case when ${a} = trunc(${a}) then ${a} end`),
  lower: (text: Sql) => byCodePoint(sql`lower(${text} collate ${sql.id(lowerCollation)})`),
  upper: (text: Sql) => byCodePoint(sql`upper(${text} collate ${sql.id(lowerCollation)})`),
  trim: (text: Sql) => sql`btrim(${text}, E'${sql.raw(WHITE)}')`,
  length: (text: Sql) => sql`char_length(${text})::float8`,
  concat: named(
    (a, b) => sql`case when char_length(${a}) + char_length(${b}) <= ${MAX_LENGTH} then ${a} || ${b} end`,
  ),
  substring: named(
    (text, start, count) =>
      sql`case when ${isPosition(start)} and ${isPosition(count)} then substr(${text}, ${position(start)} + 1, ${position(count)}) end`,
  ),
  character: named(
    (text, at) =>
      sql`case when ${isPosition(at)} then nullif(substr(${text}, ${position(at)} + 1, 1), '') end`,
  ),
  replace: named((text, from, to) => {
    const found = sql`(char_length(${text}) - char_length(replace(${text}, ${from}, ''))) / char_length(${from})`
    const length = sql`char_length(${text}) + ${found}::bigint * (char_length(${to}) - char_length(${from}))`
    return sql`case when ${to} is null then null when ${from} = '' then ${text} when ${length} <= ${MAX_LENGTH} then replace(${text}, ${from}, ${to}) end`
  }),
  contains: (text: Sql, part: Sql) => sql`(strpos(${text}, ${part}) > 0)`,
  startsWith: (text: Sql, part: Sql) => sql`starts_with(${text}, ${part})`,
  endsWith: named((text, part) => sql`right(${text}, char_length(${part})) = ${part}`),
  instant: (text: Sql) => milliseconds(sql`${text}::timestamptz`),
  date: written('YYYY-MM-DD'),
  datetime: written('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  year: part('year'),
  month: part('month'),
  day: part('day'),
  hour: part('hour'),
  addMonths: named((at, months) => {
    const from = moment(at)
    const month = sql`extract(year from ${from}) * 12 + extract(month from ${from}) - 1 + ${months}`
    const later = milliseconds(sql`(${from} + make_interval(months => ${months}::int))`)
    return sql`case when ${isWhole(months)} and ${inRange(at)} then
      case when ${month} between 12 and 119999 then ${later} end end`
  }),
})

const HOUR = sql.raw('3600000')
const DATE = sql.raw(`'YYYY-MM-DD'`)
const DATETIME = sql.raw(`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`)

/**
 * The beginning of a calendar unit, of an hour as a datetime and of others as a date; `zone` is the starts and the
 * offsets of a time zone, or nothing.
 */
export const beginningOf = (unit: CalendarUnit, at: Sql, zone: readonly Sql[]): Sql =>
  named((instant, starts, offsets) => {
    const offset = zone.length === 0 ? sql`0` : sql`${offsets}[width_bucket(${instant}, ${starts})]`
    const local = sql`(${instant} + ${offset})`
    const within = sql`${inRange(instant)} and ${inRange(local)}`
    if (unit !== 'hour') {
      return sql`case when ${within} then to_char(date_trunc(${sql.lit(unit)}, ${moment(local)}), ${DATE}) end`
    }
    const begun = sql`(floor(${local} / ${HOUR}) * ${HOUR} - ${offset})`
    return sql`case when ${within} and ${inRange(begun)} then to_char(${moment(begun)}, ${DATETIME}) end`
  })(at, ...zone)
