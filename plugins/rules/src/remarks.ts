import type { WriteRemark, WriteRemarks } from '@svc/domain/contract'
import type { MOMENTS } from './definition.ts'
import type { Rule } from './rule.ts'

/** What documents say of writes that rules look at, by the names of resources. */
export function remarksOn(rules: readonly Rule[]): Readonly<Record<string, WriteRemarks>> {
  const names = new Set(rules.map(({ resource }) => resource.name))
  return Object.fromEntries(
    [...names].map((name) => [name, remarksOf(rules.filter(({ resource }) => resource.name === name))]),
  )
}

function remarksOf(rules: readonly Rule[]): WriteRemarks {
  const at = (...moments: readonly (typeof MOMENTS)[number][]) =>
    remarkOn(rules.filter(({ trigger }) => moments.some((moment) => trigger.events.includes(moment))))
  const [create, update, remove] = [at('create'), at('update', 'transition'), at('delete')]
  return { ...(create && { create }), ...(update && { update }), ...(remove && { delete: remove }) }
}

const REFUSES =
  'Rules may refuse it: `422 RULE_VIOLATION`, with the rule in `data {rule, regulation, severity, group, messageData}`.'
const WARNS = 'Rules may warn of it: `warnings` of the answer.'

function remarkOn(rules: readonly Rule[]): WriteRemark | undefined {
  const [refuses, warns] = [does('reject', rules), does('warn', rules)]
  if (!refuses && !warns) return undefined
  const description = [...(refuses ? [REFUSES] : []), ...(warns ? [WARNS] : [])].join(' ')
  return { description, ...(refuses && { failures: [422] }) }
}

const does = (action: Rule['action'], rules: readonly Rule[]): boolean =>
  rules.some((rule) => rule.action === action)
