/** What scripts may take and give. Lengths are in characters. */
export const LIMITS = {
  /** Scripts in the folder: each has a thread of its own, some 12 MB. */
  scripts: 50,
  /** The text of one script. */
  source: 1024 * 1024,
  /** Handlers that one script registers. */
  handlers: 1000,
  /** The JSON of one input, one answer or one result of an action. */
  json: 1024 * 1024,
  /** One log message, or one reason of a refusal. */
  message: 2000,
  /** Log messages of one stretch without waiting. */
  logs: 100,
  /** Calls of one stretch without waiting. */
  called: 1000,
  /** The JSON of all inputs of one stretch. */
  inputs: 8 * 1024 * 1024,
  /** Calls of one handler that are under way at the same time. */
  calls: 100,
  /** Handlers of one script under way at which no other begins, but for those that another one waits for. */
  begun: 16,
  /** Handlers of one script that wait to begin. */
  waiting: 1000,
  /** How deep scripts may set each other off. */
  depth: 8,
  /** How many handlers one event may set off in all, by way of other scripts. */
  runs: 5000,
} as const
