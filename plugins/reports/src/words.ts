import type { Path, Site, Text } from '@svc/domain/contract'

/** A text that locale files know by where it stands, such as `reports.month.sections.0.title`, also where nothing is written there. */
export const word = (
  block: 'views' | 'reports' | 'dashboards',
  path: Path,
  written: Text | undefined,
  site: Site,
): Text => site.named([block, ...path].join('.'), written)
