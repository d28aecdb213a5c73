/** Looks a variable up; undefined where it is not set, or may not be read. */
export type Variables = (name: string) => string | undefined

/**
 * The variables of an environment that may be read: any, or those that `allowed` lists by name or as `PREFIX_*`. What may
 * not be read counts as unset.
 */
export function variablesOf(
  environment: Readonly<Record<string, string | undefined>>,
  allowed?: readonly string[],
): Variables {
  const mayRead = (name: string) =>
    allowed?.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true
  return (name) => (Object.hasOwn(environment, name) && mayRead(name) ? environment[name] : undefined)
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g
const ALONE = new RegExp(`^${VARIABLE.source}$`)

/** The variable that a text consists of, `${VAR}` or `${VAR:default}`; undefined where there is anything beside it. */
export function referenceOf(text: string): { readonly name: string; readonly fallback?: string } | undefined {
  const [, name, fallback] = ALONE.exec(text) ?? []
  return name === undefined ? undefined : { name, ...(fallback !== undefined && { fallback }) }
}

/**
 * Replaces `${VAR}` and `${VAR:default}` in a text; answers the names that have neither a value nor a default too, which
 * stay as they are written.
 */
export function substituteVariables(
  text: string,
  variables: Variables,
): { readonly text: string; readonly unset: readonly string[] } {
  const unset: string[] = []
  const replaced = text.replace(VARIABLE, (written, name: string, fallback: string | undefined) => {
    const value = variables(name) ?? fallback
    if (value === undefined) unset.push(name)
    return value ?? written
  })
  return { text: replaced, unset }
}
