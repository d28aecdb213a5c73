import { kebabCase, type Path, type Site } from '@svc/domain/contract'

/** Reports a name that none may have. */
export function checkName(name: string, path: Path, site: Site, what: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name))
    site.problem(
      path,
      `'${name.slice(0, 63)}' is no name for ${what}`,
      'Write a letter, and up to 62 letters, digits, _ and - behind it',
    )
}

/** Reports names that differ by case alone, or by how their words are divided: actions are called by them in kebab case. */
export function checkDistinct(names: readonly string[], around: Path, site: Site): void {
  const seen = new Map<string, string>()
  for (const name of names) {
    const key = kebabCase(name).replaceAll('-', '')
    const other = seen.get(key)
    if (other !== undefined)
      site.problem([...around, name], `differs from '${other}' by case alone`, 'Choose another name')
    seen.set(key, name)
  }
}
