/** What authors of plugins write, are handed, and may use. Each idea has a file of its own beside this one. */
export { type DomainAction, domainAction } from './action.ts'
export type { Block, DomainBlock, ResourceBlock } from './block.ts'
export type {
  Answered,
  Description,
  Documentation,
  JsonSchema,
  OperationDescription,
  WriteRemark,
  WriteRemarks,
} from './description.ts'
export { descriptionOf } from '../blocks/description.ts'
export { compileDoor, type Door } from '../blocks/door.ts'
export { type Domains, DomainsCapability } from './domains.ts'
export { type BlockKey, blockKey } from './key.ts'
export type { BlockOperation } from './operation.ts'
export type { PassedOver, PassOver, Restricted, Restriction } from './restriction.ts'
export type {
  BlockStep,
  DomainPart,
  ErasedValues,
  Erasure,
  Former,
  Kept,
  Mixed,
  Move,
  Part,
  Placed,
  ResourcePart,
  Traces,
} from './part.ts'
export type { Acted } from './acted.ts'
export type { ErasedRecord, Forget, Mentioning, Mentions, Unresolved, Unresolving } from './mentions.ts'
export type { Listing, Records, Subject } from './records.ts'
export type {
  ApartSite,
  CompiledValue,
  LocalText,
  ResourceSite,
  RowCondition,
  RowSpeech,
  Site,
  Speech,
} from './site.ts'
export type {
  Alteration,
  ColumnAuthor,
  ColumnChange,
  Columns,
  Sheet,
  SheetColumn,
  WantedChange,
} from './columns.ts'
export type {
  Asked,
  AskedAggregate,
  AskedRows,
  Asker,
  Data,
  Followed,
  Query,
  RecordPage,
  StoredRecords,
  WriteOptions,
} from './data.ts'
export type { Due, LeftBy } from './due.ts'
export type { RecordWrite, Writes } from './writes.ts'

export { CHANGES_TOLD, toldAs } from '../write/emit.ts'
export { heardOf, hooksOf } from '../write/heard.ts'
export type { Access } from '../access/access.ts'
export { doubtRoles } from '../access/reserved.ts'
export { judge, passes, type Verdict } from '../access/verdict.ts'
export type { Path, Problem } from '../definition/problem.ts'
export type { FieldDefinition } from '../definition/schema/field.ts'
export { didYouMean } from '../definition/names.ts'
export { Permission as PermissionSchema, Text } from '../definition/schema/text.ts'
export type {
  Accepted,
  BoundType,
  Candidate,
  Checked,
  CompiledType,
  Derivation,
  FieldColumns,
  FieldIndex,
  FieldContext,
  FieldPlace,
  FieldType,
  Filter,
  Inner,
  Inside,
  Member,
  Members,
  Operator,
  Refused,
  Remark,
  Schema,
  ValueFault,
  Verification,
} from '../fields/field-type.ts'
export { type InnerPath, referredBy, type Referred, someInside, type Visit, walk } from '../fields/walk.ts'
export type { Aspect, Changed } from '../fields/aspect.ts'
export { ASKED_FOR_NULL } from '../fields/field-type.ts'
export { FieldTypeError } from '../fields/field-type-error.ts'
export type { Enumeration, EnumerationValue } from '../model/enumeration.ts'
export {
  defineFunction,
  type Expression,
  type ExpressionFunction,
  type Kind,
  type SqlForm,
} from '@svc/expression/contract'
export type { Assigned, Assignments } from '../model/assignment.ts'
export type { Computation, Field } from '../model/field.ts'
export { boundedName, kebabCase } from '../model/names.ts'
export type { DefinitionVariables, Secret } from '../model/definition-variables.ts'
export type { Model } from '../model/model.ts'
export { sealedIn, type Source, sourcesOf, sourcesOfField } from '../model/sources.ts'
export type { BelongsTo, BelongsToMany, HasMany, Relationship, Target } from '../model/relationship.ts'
export type { CustomOperation, Features, OperationName, Resource, ResourceApi } from '../model/resource.ts'
export type { Scope } from '../model/scope-filters.ts'
export type { Guarded, Permission, Permissions } from '../model/permission.ts'
export type { State, StateMachine, Transition } from '../model/state-machine.ts'
export type { ValidationRule } from '../model/validation.ts'
export type { Answers, KeptAnswer } from '../runtime.ts'
export type { RecordInput } from '../operations/operation.ts'
export { rightsOf, type Sharing } from '../access/sharing.ts'
export type { AddedFunction, Way, WaySource } from './way.ts'
export { VERSION } from '../model/table.ts'
export { leftAmong, passedOver, passedOverAt } from '../access/restrictions.ts'
export { waysLeftTo } from '../reach/open.ts'
export { sharingAmong } from '../operations/cached.ts'
export { momentIn } from '../query/moment.ts'
export { csvAnswer } from '../operations/csv-answer.ts'
export { type AskedItems, listItems } from '../operations/list-items.ts'
export { type CsvLine, csvLines, csvText } from '../present/csv.ts'
export { evaluationAlone, evaluationOf, staysWithRecord } from '../reach/context.ts'
export { ANYBODY, type Audience } from '../showing/audience.ts'
export { type Facts, factsOf } from '../showing/facts.ts'
export { evaluationOfFacts } from '../showing/evaluation.ts'
export { recordFor, type RecordShown } from '../showing/record.ts'
export { keepShape, openShape } from '../model/kept-shape.ts'
export {
  compileParameters,
  type Parameter,
  parameterKinds,
  readValue,
  WrittenParameter,
} from '../parameters/parameters.ts'
export { writtenOrder } from '../model/written-order.ts'
export { recordShape } from '../model/record-shape.ts'
export { type Showing, showingTo } from '../showing/showing.ts'
export { showingWhole } from '../showing/whole.ts'
export { isForAnybody, seesKnown, seesThrough, veilOf } from '../showing/veil.ts'
export { madeOf, madeOfRecords } from '../showing/made.ts'
export { keepFacts, openFacts } from '../showing/kept.ts'
export { labelledFormats } from '../texts/formats.ts'
export { inZone } from '../texts/zone.ts'
export { compileWords, type Told, type Words, type WrittenWords } from '../showing/words.ts'
export { codecOf } from '../operations/idempotent.ts'
export { senderOf } from '../write/idempotency.ts'
export { batches } from '../migrate/batches.ts'
export { workOutAll } from '../present/formulas.ts'
export type { Params } from '../speech/params.ts'
export {
  type Fault,
  type Locale,
  localeFacts,
  messageFacts,
  type Localizer,
  type Speaker,
  type SpokenDomain,
  type WrittenFormats,
} from '../speech/speech.ts'
export {
  type BareKey,
  finding,
  type Finding,
  type Sentence,
  type SentenceKey,
  SENTENCES,
} from '../speech/sentences.ts'
export { sentenceOf } from '../speech/sentence.ts'
export { invalid, malformed } from '../write/refuse.ts'
export { afterRollback, type Remainder } from '../write/remainder.ts'
export { fallbacks, readAcceptLanguage } from '../speech/accept-language.ts'
export { plainSpeaker, sayFault, type Saying, textIn } from '../speech/plain-speaker.ts'
export { harmless } from '../present/csv.ts'
export { presentReadable as presentRecord } from '../present/record.ts'
export type { Change, ChangeKind, OwnKind } from './change.ts'
export { eventOf } from '../write/emit.ts'
export { IDEMPOTENCY } from '../write/idempotency.ts'
export { keptOnce, type KeptAnswers, type Named, type WriteOnce } from '../write/once.ts'
