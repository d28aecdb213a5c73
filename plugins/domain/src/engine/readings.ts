import { errors, type Variables } from '@svc/kernel'
import type { SheetColumn } from '../contract/columns.ts'
import { DefinitionError } from '../definition/problem.ts'
import type { Format } from '../definition/read.ts'
import {
  describedModel,
  faultless,
  type Language,
  modelOfSnapshot,
  readAsInForce,
  type ReadModel,
  readModel,
  settledColumns,
  withColumns,
} from '../lifecycle/read-model.ts'
import { amongFaults } from '../lifecycle/faults.ts'
import { isAsStored } from '../lifecycle/stored.ts'
import type { StoredDomain, StoredVersion } from '../migrate/journal.ts'
import type { Model } from '../model/model.ts'
import { createReport, type Report } from '../model/report.ts'
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

  /** A file, which may be in force already, and what it includes; `onRead` is told of each. Throws DefinitionError. */
  file(file: string, onRead?: (path: string) => void): Promise<ReadModel> {
    return readAsInForce({ file, onRead }, this.#options.language, this.#options.variables.file)
  }

  /** A definition on record, which is in force, as it reads now. Throws DefinitionError. */
  stored({ resolved, origin }: StoredDomain): Promise<ReadModel> {
    const { language, variables } = this.#options
    return readAsInForce({ text: resolved, format: 'json', isResolved: true }, language, variables[origin])
  }

  /** An earlier version, which has to mean what it meant then. Throws CONFLICT. */
  async again(stored: StoredDomain): Promise<ReadModel> {
    const read = await this.stored(stored).then(faultless).catch(inTheWay)
    if (isAsStored(read, stored)) return read
    throw errors.CONFLICT({ message: `Variables that version '${stored.version}' reads have changed since` })
  }

  /** The model whose tables a version has. */
  ofVersion(
    { snapshot, origin }: StoredVersion,
    columnsFor: (plain: Model) => readonly SheetColumn[],
    report?: Report,
  ): Promise<Model> {
    const { language, variables } = this.#options
    return modelOfSnapshot(snapshot, language, variables[origin], columnsFor, report)
  }

  /** The same where nothing else says what its tables hold. Throws DefinitionError where that is not certain. */
  async certainly(version: StoredVersion, columns: readonly SheetColumn[]): Promise<Model> {
    const report = createReport()
    const model = await this.ofVersion(version, () => columns, report)
    if (report.problems.length > 0) throw new DefinitionError(report.problems)
    return model
  }

  /** A definition with the columns that users have added, which may be put in force. Throws DefinitionError. */
  whole(read: ReadModel, columns: readonly SheetColumn[]): ReadModel {
    return withColumns(faultless(read), columns, this.#options.language)
  }

  /** The same of those that are in force. Throws DefinitionError where no model can be built of them. */
  asInForce(read: ReadModel, columns: readonly SheetColumn[]): ReadModel {
    return withColumns(read, columns, this.#options.language, { bears: () => true })
  }

  /** What is in force after users have changed the columns. Throws CONFLICT where the definition does not go with them. */
  altered({ read, faults }: Mounted, columns: readonly SheetColumn[], renames: Renames): ReadModel {
    try {
      return withColumns(read, columns, this.#options.language, { renames, bears: amongFaults(faults) })
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      throw errors.CONFLICT({ message: `The definition does not go with this column: ${error.message}` })
    }
  }

  /** What is in force of a domain once `read`, which is `plain` with its columns, is mounted. */
  mounted(plain: ReadModel, read: ReadModel, stored: StoredDomain): Mounted {
    const described = describedModel(read, this.#options.language)
    const { model, faults, columns = [] } = read
    return { model, described, stored, read: plain, columns, faults }
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
