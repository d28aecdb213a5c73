import type { Path, Site, Text } from '@svc/domain/contract'

/** A text that locale files know by where it stands, such as `reports.month.sections.0.title`. */
export function word<T extends Text | undefined>(
  block: 'views' | 'reports' | 'dashboards',
  path: Path,
  written: T,
  site: Site,
): T | Text {
  return written === undefined ? written : site.named([block, ...path].join('.'), written)
}
