/** What an entry says of its way as long as nobody has tried to send it; `at` is an ISO 8601 instant. */
export const queuedAt = (at: string) => ({
  status: 'pending',
  attempts: 0,
  nextAttemptAt: at,
  createdAt: at,
  sentAt: null,
  endedAt: null,
  responseStatus: null,
  errorCode: null,
  errorMessage: null,
})
