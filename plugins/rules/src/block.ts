import { ledgerWindow, switchWindow, windows } from '@svc/automation/contract'
import type { DomainBlock, DomainPart, Site } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { compileRules, type Surroundings } from './compile.ts'
import { RulesDefinition } from './definition.ts'
import { logLedger } from './log/ledger.ts'
import { keptOf } from './log/kept.ts'
import { LOG } from './log/table.ts'
import { logTable } from './log/table.ts'
import { remarksOn } from './remarks.ts'
import type { Rule } from './rule.ts'
import { RULE_SHAPE, shownRule } from './shown.ts'
import { concernedBy } from './write/concerned.ts'
import { rulesStep } from './write/step.ts'

/** The key `rules` of a domain: what is asked of every write before its row is written. */
export const rulesBlock = (around: Omit<Surroundings, 'timelineOf'>): DomainBlock<RulesDefinition> => ({
  on: 'domain',
  key: 'rules',
  schema: RulesDefinition,
  afterIfLoaded: [HISTORY.key],
  compile(written, site) {
    if (written === undefined) return undefined
    const timelineOf: Surroundings['timelineOf'] = (resource) => site.made(HISTORY, resource)
    return partOf(compileRules(written, site, { ...around, timelineOf }), site, around)
  },
})

function partOf(
  rules: readonly Rule[],
  site: Site,
  { automation }: Pick<Surroundings, 'automation'>,
): DomainPart {
  const table = logTable(site.model.name)
  const concerned = concernedBy(rules)
  const switching = switchWindow({
    key: 'rules',
    domain: site.model.name,
    site,
    switches: automation.switches,
    entries: rules.map((rule) => ({
      ...rule,
      shown: shownRule(rule),
      narrowed: { resource: rule.resource.name },
    })),
    schema: 'Rule',
    one: 'a rule',
    shape: RULE_SHAPE,
    filters: {
      resource: 'Only rules that look at this resource.',
      action: 'Only rules that do this: reject, warn or log.',
      group: 'Only rules with this label.',
    },
  })
  const log = ledgerWindow({
    ledger: logLedger(table, site),
    schema: 'RuleLogEntry',
    words: ['an entry of the log of rules', 'entries of the log of rules'],
    list: { name: 'log', path: '/rules/log' },
  })
  const { actions, openapi } = windows(switching, log)
  return {
    tables: { log: table },
    resources: concerned.resources,
    concerns: (change) => concerned.concerns(change),
    selfContained: true,
    beforeWrite: rulesStep(concerned, { table, model: site.model }),
    keeps: (resource) => (concerned.resources.has(resource) ? [keptOf(resource, table, site.model)] : []),
    mixed: [{ table, columns: [LOG.said] }],
    acted: [{ table, actor: LOG.actor }],
    mentions: [
      {
        kind: 'ruleLogEntry',
        table,
        columns: [LOG.said],
        about: { resource: LOG.resource, recordId: LOG.recordId },
      },
    ],
    actions,
    describe: () => ({ openapi: { ...openapi, writes: remarksOn(rules) } }),
    open: () => switching.settle(),
  }
}
