import { TRIGGER_VARIABLES } from '@svc/automation/contract'
import type { Expression, Path, Resource, Site, Text } from '@svc/domain/contract'
import { among, interpolate, placeholdersOf } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Words } from './words.ts'

/** Compiles what a rule says; what is wrong with it is reported. */
export function compileWords(
  message: Text,
  messageData: Readonly<Record<string, unknown>>,
  resource: Resource,
  path: Path,
  site: Site,
): Words {
  const values = Object.entries(messageData).map(([name, written]) => {
    const source =
      typeof written === 'string' && written.startsWith('$')
        ? written.replace(/^\$\((.*)\)$/s, '$1')
        : undefined
    const speech = { resource, moment: 'write', variables: TRIGGER_VARIABLES } as const
    const expression: Expression | undefined =
      source === undefined ? undefined : site.expression(source, [...path, 'messageData', name], speech)
    return { name, written: written as Value, expression }
  })
  const data: Words['data'] = (context, shows = () => true) =>
    Object.fromEntries(
      values
        .filter(({ expression }) => expression === undefined || shows(expression))
        .map(({ name, written, expression }) => [name, expression ? expression.evaluate(context) : written]),
    )
  return {
    message,
    expressions: values.flatMap(({ expression }) => expression ?? []),
    data,
    narrated(context) {
      const fields = placeholdersOf(typeof message === 'string' ? message : Object.values(message).join(' '))
      const own = fields.filter((name) => resource.fields.has(name))
      return {
        label: message,
        values: {
          ...data(context),
          ...Object.fromEntries(own.map((name) => [name, context.record?.[name] ?? null])),
        },
        sources: Object.fromEntries(own.map((name) => [name, [name]])),
      }
    },
    tell(context, locale, shows) {
      const all: Row = { ...data(context, shows), ...context.record }
      return interpolate(resource.localizer.text(message, locale) ?? '', among(all))
    },
  }
}
