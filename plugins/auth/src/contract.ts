import { type Caller, capability } from '@svc/kernel'
import type { Definition, Reader, Transaction, TransactionOptions, Value } from '@svc/store/contract'

import type { Account, Origin, Profile } from './account.ts'

export type { Account, AccountStatus, Origin, Profile } from './account.ts'
export { ACCOUNTS } from './accounts-table.ts'
export { callerOf } from './profile.ts'

/** What a caller showed, as JSON. */
export type Credentials = Value & { readonly [name: string]: Value }

export interface NewAccount {
  readonly username: string
  readonly email: string
  readonly password: string
  readonly roles?: readonly string[]
  readonly verified?: boolean
  readonly origin?: Origin
}

export interface Role {
  readonly name: string
  readonly description: string
}

/** A user as records may show one. */
export interface UserReference {
  readonly id: string
  readonly username: string
}

/** The server's accounts, for plugins that act as the system. */
export interface Accounts {
  /** Makes an account with its roles in one step. Throws USER_EXISTS, WEAK_PASSWORD or VALIDATION_ERROR. */
  create(account: NewAccount): Promise<Account>
  /**
   * Keeps usernames from being registered by whoever comes, such as those by which a definition acts; others make accounts of these
   * names all the same. During set-up; `names` is asked at each registration.
   */
  reserve(names: () => Iterable<string>): void
  /** The account of an id or a username. */
  find(idOrUsername: string): Promise<Account | undefined>
  /** The account with an email address, in whatever case that is written. */
  ofAddress(email: string): Promise<Account | undefined>
  /**
   * The active accounts that hold one of `roles` now or are named by one of `ids`, in the order of their creation, at
   * most `limit` of them. What is no id of an account names nobody.
   */
  active(
    named: { readonly roles?: readonly string[]; readonly ids?: readonly string[] },
    limit: number,
  ): Promise<readonly Account[]>
  /** Sets a password and ends every session of the user. Throws NOT_FOUND or WEAK_PASSWORD. */
  setPassword(userId: string, password: string): Promise<void>
  /** Adds to a user's roles, and answers all of them. Throws NOT_FOUND, or VALIDATION_ERROR for an unknown role. */
  grantRoles(userId: string, roles: readonly string[]): Promise<readonly string[]>
  /**
   * Waits until no write of an account is under way, on whichever server, and lets none go on until `transaction` ends: what this
   * reads from now on has everything that the account has written, and once the account is gone nothing more comes.
   */
  settleWrites(id: string, transaction: Transaction): Promise<void>
  /**
   * Removes an account with all that belongs to it, in a transaction that is the asker's: once that is durable the asker calls
   * what stands in `afterCommit`, and what stands in `afterRollback` where it is undone. Throws CONFLICT for the last
   * administrator, and where records refer to the account.
   */
  remove(removing: AccountRemoving): Promise<void>
  /** Whether some active account has the role `admin`. */
  hasActiveAdmin(): Promise<boolean>
  /** The usernames of the active accounts with the role `admin`, in the order of their names. */
  activeAdmins(): Promise<readonly string[]>
  /**
   * What may be stored of the secrets of one request, argon2id; the policy for account passwords does not hold here.
   * Sign-ins go before them. Throws BULK_LIMIT_EXCEEDED or UNAVAILABLE, before any work, where they would take too long;
   * stops where `signal` says that nobody waits any more.
   */
  hashSecrets(secrets: readonly string[], signal: AbortSignal): Promise<readonly string[]>
  /**
   * Runs the transaction of a write for its caller, who is asked for inside it: what another server took from them a
   * moment ago counts. Throws CallerChanged, which the pipeline answers by asking anew, and then nothing is written.
   */
  transaction<T>(
    caller: Caller,
    work: (transaction: Transaction) => Promise<T>,
    options?: WriteOptions,
  ): Promise<T>
  /** How often it was noticed that another server has changed rights or a definition. */
  readonly foreignChanges: number
  /** The same for a change of the schema, of which other servers hear as of changes of rights. */
  define<T>(caller: Caller, work: (definition: Definition) => Promise<T>): Promise<T>
  listRoles(): Promise<readonly Role[]>
  /** Adds a role. Throws DUPLICATE where its name is taken. */
  createRole(role: Role): Promise<Role>
  /**
   * What a caller of a token or a key showed, as it may be kept in a table for a while: nothing by which anybody else could
   * sign in. Undefined of callers without.
   */
  credentialsOf(caller: Caller): Credentials | undefined
  /**
   * Who stands behind credentials now, with the roles of now; mostly from memory, so that it may be asked again and again.
   * Throws TOKEN_EXPIRED, TOKEN_INVALID or USER_SUSPENDED.
   */
  identify(credentials: Credentials): Promise<Caller>
  /** Those of `ids` that are users. */
  exists(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** What records may show of those of `ids` that are users, in no order. */
  describe(ids: readonly string[]): Promise<readonly UserReference[]>
  /** A key of 32 bytes for a purpose, derived of the secret that signs tokens (RFC 5869): it changes with that. */
  deriveKey(purpose: string): Uint8Array
  /** What a foreign key to a user refers to. */
  readonly usersKey: { readonly table: string; readonly column: string }
}

/** What is said of the transaction of a write. */
export interface WriteOptions extends TransactionOptions {
  /**
   * Called inside the transaction, before anything of it is durable, where another server has changed rights or a definition and
   * nobody here has noticed yet. What it throws ends the transaction.
   */
  readonly confirm?: (reader: Reader) => Promise<void>
}

export const AccountsCapability = capability<Accounts>('accounts')

/** What a sign-in answers. Lifetimes are in seconds. */
export interface SignIn {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  readonly access_expires_in: number
  readonly refresh_expires_in: number
  readonly roles: readonly string[]
  readonly user: Profile
  /** In development alone, and only where a verification was asked for. */
  readonly verification_token?: string | undefined
}

declare module '@svc/kernel' {
  interface ActionMap {
    'auth.login': { input: { username: string; password: string }; output: SignIn }
    'auth.register': { input: { username: string; email: string; password: string }; output: SignIn }
    'auth.refresh': { input: { refresh_token: string }; output: SignIn }
    'admin.users.create': { input: NewAccount; output: Account }
    'admin.roles.create': { input: Role; output: Role }
  }
}

/** An account is about to be removed: what a listener writes by `transaction` goes with it, and what it throws stops it. */
export interface AccountRemoving {
  readonly id: string
  readonly caller: Caller
  readonly requestId: string
  readonly transaction: Transaction
  /** Of one that goes because its person is erased: what it is called, and the pseudonym that this becomes wherever it stands. */
  readonly erased?: { readonly username: string; readonly pseudonym: string }
  /** What listeners want done once the account is gone. */
  readonly afterCommit: (() => void)[]
  /** What listeners want done, before anybody hears of it, once the account stays because one of them threw. */
  readonly afterRollback: (() => Promise<void>)[]
}

declare module '@svc/kernel' {
  interface EventMap {
    'auth.account.removing': AccountRemoving
  }
}
