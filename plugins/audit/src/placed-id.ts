/**
 * Where a request's place in its batch stands in its id, a UUIDv7 (RFC 9562, section 5.7): behind the time and the sequence, so
 * that the ids of a batch, of 4096 requests at most, ascend in the order of its requests, and those of batches in theirs.
 */
const FROM = 26
const TO = 29

/** The id of the request at `place`, in a batch with this id or one of its requests'. */
export const placedId = (id: string, place: number): string =>
  id.slice(0, FROM) + place.toString(16).padStart(TO - FROM, '0') + id.slice(TO)
