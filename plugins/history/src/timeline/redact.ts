import type { ErasedValues, Kept, Text } from '@svc/domain/contract'
import { among, interpolate } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import { rewriteEntries } from '../redact.ts'
import { isSealed, sealingOf } from '../sealed.ts'
import { sourcesIn, type Template, type TimelineLedger, valuesIn, valuesOf } from './ledger.ts'

const ERASED = '[erased]'

/** Entries tell what stands in place of erased values: their texts are written anew. What others have said goes. */
export const redactTimeline =
  (ledger: TimelineLedger): NonNullable<Kept['redact']> =>
  (erasure, writes) =>
    rewriteEntries(ledger, erasure, writes, (row, of) =>
      erasure.inLedgersAlone === true && !tells(row, of) ? undefined : redacted(row, of, ledger),
    )

/** Whether an entry has one of erased values. */
const tells = (row: Row, { values }: ErasedValues): boolean =>
  Object.values(valuesIn(row, 'sources')).some((fields) =>
    sourcesIn(fields).some((one) => Object.hasOwn(values, one)),
  )

/** The texts of an entry, written anew for what its values and its actor are by now. */
export const rewritten =
  (ledger: TimelineLedger) =>
  (row: Row): Row =>
    isTemplate(JSON.parse(String(row['template'])))
      ? redacted(row, { key: row[ledger.recordId.name]!, values: {} }, ledger)
      : {}

function redacted(row: Row, { key, values }: ErasedValues, { resource, model }: TimelineLedger): Row {
  const template: unknown = JSON.parse(String(row['template']))
  if (!isTemplate(template))
    return { template: JSON.stringify({ label: ERASED, detail: '' } satisfies Template) }
  const sources = valuesIn(row, 'sources')
  const fieldOf = (name: string): string | undefined =>
    [sources[name] ?? []]
      .flat()
      .map(String)
      .find((field) => Object.hasOwn(values, field))
  const data = Object.entries(valuesIn(row, 'data')).map(([name, value]): readonly [string, Value] => {
    const field = fieldOf(name)
    return [name, field === undefined ? value : (values[field] ?? null)]
  })
  const clear = data.filter(([name]) => !isSealed(String(sources[name]), resource, model))
  const fill = (text: Text) =>
    interpolate(
      resource.localizer.text(text, resource.localizer.locale()) ?? '',
      among(valuesOf(Object.fromEntries(clear), valuesIn(row, 'actor'))),
    )
  const isWritten = row['label'] !== ''
  const { seal } = sealingOf(key, resource, model)
  const kept = data.map(([name, value]): readonly [string, Value] => {
    const field = fieldOf(name)
    return [name, field === undefined ? value : seal(field, value, name)]
  })
  return {
    data: Object.fromEntries(kept),
    ...(isWritten && { label: fill(template.label), detail: fill(template.detail) }),
  }
}

const isTemplate = (template: unknown): template is Template =>
  typeof template === 'object' && template !== null && 'label' in template && 'detail' in template
