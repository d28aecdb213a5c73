import type { Json, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { FieldDefinition } from '../../definition/schema/field.ts'
import { readAttribute } from '../attribute.ts'
import { finding } from '../../speech/sentences.ts'
import { FieldTypeError } from '../field-type-error.ts'
import type { AttributeSchema, Check, Checked, Remark, Schema, ValueFault } from '../field-type.ts'
import { identity, isList } from './json.ts'
import { accepted, faultsAt, MAX_FAULTS, refusal } from './rule.ts'

/** How many items a list holds. */
export interface ListSize {
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
}

const Count = z.int({ error: 'must be a whole number, 0 or more' }).min(0)

/** The attributes of every type of list. */
export const LIST_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  minItems: Count.describe('The least number of items.'),
  maxItems: Count.describe('The greatest number of items.'),
}

export function readListSize(definition: FieldDefinition): ListSize {
  const minItems = readAttribute(definition, 'minItems', Count)
  const maxItems = readAttribute(definition, 'maxItems', Count)
  if (minItems !== undefined && maxItems !== undefined && maxItems < minItems)
    throw new FieldTypeError('maxItems', `maxItems ${maxItems} is below minItems ${minItems}`)
  return { minItems, maxItems }
}

/** The size in OpenAPI. */
export const listSchema = ({ minItems, maxItems }: ListSize, items: Schema): Schema => ({
  type: 'array',
  items,
  ...(minItems !== undefined && { minItems }),
  ...(maxItems !== undefined && { maxItems }),
})

const NO_LIST = refusal('type.list')
const NO_ITEM: readonly ValueFault[] = [finding('type.null')]

/** Checks the size of a list and each item; `distinct` refuses an item that equals one before it. */
export function listCheck(item: Check, size: ListSize, distinct = false): Check {
  return (value) => {
    if (!isList(value)) return NO_LIST
    const faults: ValueFault[] = [...sizeFaults(value.length, size)]
    const stored: Json[] = []
    const remarks: Remark[] = []
    for (const [index, one] of value.entries()) {
      if (faults.length >= MAX_FAULTS) break
      take(item, one, index, { stored, remarks, faults })
    }
    if (distinct && faults.length === 0) faults.push(...doubles(stored))
    return faults.length === 0 ? accepted(stored, remarks) : { faults: faults.slice(0, MAX_FAULTS) }
  }
}

interface Taken {
  readonly stored: Json[]
  readonly remarks: Remark[]
  readonly faults: ValueFault[]
}

function take(item: Check, one: Value, index: number, { stored, remarks, faults }: Taken): void {
  const checked: Checked = one === null ? { faults: NO_ITEM } : item(one)
  if ('value' in checked) {
    stored.push(checked.value)
    if (checked.remarks) remarks.push(...faultsAt(String(index), checked.remarks))
  } else faults.push(...faultsAt(String(index), checked.faults))
}

function sizeFaults(length: number, { minItems, maxItems }: ListSize): readonly ValueFault[] {
  if (minItems !== undefined && length < minItems)
    return [finding(minItems === 1 ? 'items.minOne' : 'items.min', { limit: minItems })]
  if (maxItems !== undefined && length > maxItems)
    return [finding(maxItems === 1 ? 'items.maxOne' : 'items.max', { limit: maxItems })]
  return []
}

function doubles(list: readonly Json[]): readonly ValueFault[] {
  const seen = new Set<string>()
  return list.flatMap((one, index) => {
    const key = identity(one)
    if (seen.has(key)) return [{ ...finding('items.twice'), path: String(index) }]
    seen.add(key)
    return []
  })
}
