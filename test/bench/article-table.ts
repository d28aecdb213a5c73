import type { Article, Writer } from './article.ts'

/** What is there at once on one store, and later on another. */
type Awaitable<T> = T | Promise<T>

/** One page of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The SQL side of the server by hand. */
export interface ArticleTable {
  get(id: string): Awaitable<Article | undefined>
  /** Articles of one status, the newest first. */
  newest(status: string, page: Page): Awaitable<readonly Article[]>
  /** Articles of every status, the oldest first. */
  oldest(page: Page): Awaitable<readonly Article[]>
  /** The writers with these keys. */
  writers(ids: readonly string[]): Awaitable<readonly Writer[]>
  /** How many articles there are: of one status, where one is given. */
  count(status: string | undefined): Awaitable<number>
  /** Is done once the commit is as durable as the database has it. */
  insert(article: Article): Awaitable<void>
  /** Sets the columns that `change` names, and answers the whole row; undefined where there is none. */
  update(id: string, change: Readonly<Record<string, unknown>>): Awaitable<Article | undefined>
}
