import { capability } from '@svc/kernel'

/** How many were made, and how many were there already. */
export interface Tally {
  readonly created: number
  readonly skipped: number
}

/** What one run of the seed manifest did. */
export interface Summary {
  readonly roles: Tally
  readonly users: Tally
  readonly records: Tally
}

/** Brings the roles, users and records of the seed manifest into being. */
export interface Seeder {
  /** Applies the manifest; what is there already stays as it is. Throws a StartupError that says what to correct. */
  run(): Promise<Summary>
}

export const SeederCapability = capability<Seeder>('seeder')
