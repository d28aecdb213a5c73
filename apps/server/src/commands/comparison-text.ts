import type { Comparison } from '@svc/domain/contract'

/** What a definition would change, step by step with its statements; `!` marks what loses data. */
export function comparisonText({ domain, fromVersion, toVersion, steps, messages }: Comparison): string {
  const from = fromVersion === null ? 'new' : `from ${fromVersion}`
  const shown = steps.flatMap(({ message, up, destructive, reversible }) => [
    `${destructive ? '!' : '+'} ${message}${reversible ? '' : ' (cannot be taken back)'}`,
    ...up.map((statement) => `    ${statement}`),
  ])
  return [
    `${domain}: ${from} to ${toVersion}, ${steps.length === 0 ? 'no changes' : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`}`,
    ...shown,
    ...(messages.length > 0 ? ['This would lose data:', ...messages.map((one) => `  ${one}`)] : []),
    '',
  ].join('\n')
}
