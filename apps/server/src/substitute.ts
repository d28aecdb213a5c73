import { type Config, type ConfigFault, substituteVariables, variablesOf } from '@svc/kernel'

/** A configuration with its variables replaced. */
export interface Substituted {
  readonly config: Config
  /** Variables that are not set and have no default; the text around them stays as it is written. */
  readonly faults: readonly ConfigFault[]
}

/** Puts variables in place of `${VAR}` and `${VAR:default}` in every text of a configuration. */
export function substitute(config: Config, variables: NodeJS.ProcessEnv): Substituted {
  const faults: ConfigFault[] = []
  const known = variablesOf(variables)

  const within = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return text(value, path)
    if (Array.isArray(value)) return value.map((item, at) => within(item, `${path}.${at}`))
    if (typeof value !== 'object' || value === null) return value
    return entries(value, `${path}.`)
  }
  const entries = (map: object, before: string) =>
    Object.fromEntries(Object.entries(map).map(([key, item]) => [key, within(item, `${before}${key}`)]))
  const text = (written: string, path: string) => {
    const { text: replaced, unset } = substituteVariables(written, known)
    for (const name of unset) faults.push(unsetAt(path, name))
    return replaced
  }

  return { config: entries(config, ''), faults }
}

const unsetAt = (path: string, name: string): ConfigFault => ({
  component: 'configuration',
  path,
  message: `'${path}' needs the environment variable ${name}, which is not set (set it, or write a default: \${${name}:value})`,
})
