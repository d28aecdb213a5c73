import { dirname, resolve } from 'node:path'
import type { Configuration } from './configuration.ts'

/** Where the server keeps what is its own: beside the SQLite file, or where there is none, beside the configuration. */
export function dataFolder({ sections, folder }: Pick<Configuration, 'sections' | 'folder'>): string {
  if ('postgres' in sections) return folder
  const path = Object(sections['sqlite'])['path'] as unknown
  return typeof path === 'string' ? dirname(resolve(folder, path)) : folder
}
