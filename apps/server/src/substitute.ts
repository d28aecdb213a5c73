import { StartupError } from '@svc/kernel'

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g

/** Puts variables in place of `${VAR}` and `${VAR:default}` in every text of a configuration. Throws a StartupError. */
export function substitute(
  config: Record<string, unknown>,
  variables: NodeJS.ProcessEnv,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, within(value, key, variables)]),
  )
}

function within(value: unknown, path: string, variables: NodeJS.ProcessEnv): unknown {
  if (typeof value === 'string') return text(value, path, variables)
  if (Array.isArray(value)) return value.map((item, at) => within(item, `${path}.${at}`, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, within(item, `${path}.${key}`, variables)]),
  )
}

function text(value: string, path: string, variables: NodeJS.ProcessEnv): string {
  return value.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const found = variables[name] ?? fallback
    if (found !== undefined) return found
    throw new StartupError(
      'configuration',
      `'${path}' needs the environment variable ${name}, which is not set`,
      `Set ${name}, or write a default: \${${name}:value}`,
    )
  })
}
