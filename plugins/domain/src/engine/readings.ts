import { errors, type Variables } from '@svc/kernel'
import type { SheetColumn } from '../contract/columns.ts'
import { DefinitionError } from '../definition/problem.ts'
import type { Format } from '../definition/read.ts'
import {
  describedModel,
  type Language,
  modelOfSnapshot,
  type ReadModel,
  readModel,
  settledColumns,
  withColumns,
} from '../lifecycle/read-model.ts'
import { isAsStored } from '../lifecycle/stored.ts'
import type { StoredDomain, StoredVersion } from '../migrate/journal.ts'
import type { Model } from '../model/model.ts'
import type { Renames } from '../overlay/overlay.ts'
import type { Mounted } from './in-force.ts'

/** What definitions are read with. */
export interface ReadingOptions {
  readonly language: Language
  /** The variables that a definition may read, by where it comes from. */
  readonly variables: Readonly<Record<StoredDomain['origin'], Variables>>
}

/** Models, out of texts, files, and what is on record. */
export class Readings {
  readonly #options: ReadingOptions

  constructor(options: ReadingOptions) {
    this.#options = options
  }

  /** A text that was submitted. Throws DefinitionError. */
  submitted(text: string, format: Format | undefined): Promise<ReadModel> {
    return readModel({ text, format }, this.#options.language, this.#options.variables.submitted)
  }

  /** A file and what it includes; `onRead` is told of each. Throws DefinitionError. */
  file(file: string, onRead?: (path: string) => void): Promise<ReadModel> {
    return readModel({ file, onRead }, this.#options.language, this.#options.variables.file)
  }

  /** A definition on record, as it reads now. */
  stored({ resolved, origin }: StoredDomain): Promise<ReadModel> {
    const { language, variables } = this.#options
    return readModel({ text: resolved, format: 'json', isResolved: true }, language, variables[origin])
  }

  /** An earlier version, which has to mean what it meant then. Throws CONFLICT. */
  async again(stored: StoredDomain): Promise<ReadModel> {
    const read = await this.stored(stored).catch(inTheWay)
    if (isAsStored(read, stored)) return read
    throw errors.CONFLICT({ message: `Variables that version '${stored.version}' reads have changed since` })
  }

  /** The model whose tables a version has. */
  ofVersion(
    { snapshot, origin }: StoredVersion,
    columnsFor: (plain: Model) => readonly SheetColumn[],
  ): Promise<Model> {
    const { language, variables } = this.#options
    return modelOfSnapshot(snapshot, language, variables[origin], columnsFor)
  }

  /** A definition with the columns that users have added. */
  whole(read: ReadModel, columns: readonly SheetColumn[], renames?: Renames): ReadModel {
    return withColumns(read, columns, this.#options.language, renames)
  }

  /** The same after users have changed the columns. Throws CONFLICT where the definition does not go with them. */
  altered(...[read, columns, renames]: Parameters<Readings['whole']>): ReadModel {
    try {
      return this.whole(read, columns, renames)
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      throw errors.CONFLICT({ message: `The definition does not go with this column: ${error.message}` })
    }
  }

  /** What is in force of a domain once `read`, which is `plain` with its columns, is mounted. */
  mounted(plain: ReadModel, read: ReadModel, stored: StoredDomain): Mounted {
    const described = describedModel(read, this.#options.language)
    return { model: read.model, described, stored, read: plain, columns: read.columns ?? [] }
  }
}

/** The columns that an earlier version has of those there are now. Throws CONFLICT. */
export function settledBack(plain: ReadModel, { columns, model }: Mounted): readonly SheetColumn[] {
  try {
    return settledColumns(plain, columns, model.definition)
  } catch (error) {
    return inTheWay(error)
  }
}

/** A version that was in force cannot be wrong by itself: something around it has changed. */
export function inTheWay(error: unknown): never {
  if (!(error instanceof DefinitionError)) throw error
  throw errors.CONFLICT({ message: `The earlier version cannot be used any more: ${error.message}` })
}
