import { OutcomeUnknown, SealError } from '@signalman/durable'
import { AccessDenied, FieldErrors, Notice, Question, UserError } from '@signalman/runtime'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ACT_ERRORS, TooLate } from '../../../src/bot/act-errors.ts'
import { explain, problemMessage } from '../../../src/bot/request/explain.ts'
import { NotStored } from '../../../src/bot/request/refusals.ts'
import { ApiError } from '../../../src/service/errors.ts'

const text = fc.string({ minLength: 1, maxLength: 60 })
const suggestions = fc.array(fc.record({ label: text, line: text.map((line) => `/hc ${line}`) }), {
  maxLength: 3,
})
const kind = fc.constantFrom('unauthorized', 'rejected', 'conflict', 'timeout', 'unavailable', 'rate-limited')

const api = fc
  .tuple(kind, fc.array(text, { maxLength: 3 }), fc.boolean(), fc.option(fc.nat(9999), { nil: undefined }))
  .map(
    ([what, serviceMessages, mayHaveHappened, retryAfterSeconds]) =>
      new ApiError(what, 'for the log', { serviceMessages, mayHaveHappened, retryAfterSeconds, status: 400 }),
  )

/** Every kind of error that a step may end with. */
const error: fc.Arbitrary<Error> = fc.oneof(
  api,
  fc.tuple(text, suggestions).map((args) => new UserError(...args)),
  fc.tuple(text, suggestions).map((args) => new Question(...args)),
  fc.tuple(text, suggestions).map((args) => new Notice(...args)),
  fc
    .tuple(text, suggestions, fc.option(fc.array(text, { maxLength: 3 }), { nil: undefined }), text)
    .map(
      ([rule, offers, admins, adminsLabel]) =>
        new AccessDenied(rule, { admins, suggestions: offers, adminsLabel }),
    ),
  fc.dictionary(text, text, { noNullPrototype: true }).map((fields) => new FieldErrors(fields)),
  fc.option(api, { nil: undefined }).map((cause) => new OutcomeUnknown(cause && { cause })),
  fc.array(text, { maxLength: 8 }).map((done) => new TooLate(done)),
  fc.constant(new NotStored()),
  text.map((message) => new SealError('unknown-key', message)),
  // The token was refused, so a later press may help.
  fc.tuple(text, api).map(([message, cause]) => Object.assign(new UserError(message), { cause })),
)

it('reads the same after a crash, whatever the error', () => {
  fc.assert(
    fc.property(error, fc.boolean(), (thrown, hasDoneSteps) => {
      const act = { hasNoStepYet: !hasDoneSteps, hasDoneSteps: () => hasDoneSteps }
      const stored = JSON.parse(JSON.stringify(ACT_ERRORS.serialize(thrown)))
      const restored = ACT_ERRORS.deserialize(stored)
      const [before, after] = [thrown, restored].map((each) =>
        problemMessage(explain(each, { act }), 'the reference'),
      )
      expect(after).toEqual(before)
      expect(ACT_ERRORS.mayHaveHappened(restored)).toBe(ACT_ERRORS.mayHaveHappened(thrown))
      // It may be stored again.
      expect(JSON.parse(JSON.stringify(ACT_ERRORS.serialize(restored)))).toEqual(stored)
    }),
  )
})

it('stores nothing of an error that wasn’t expected', () => {
  fc.assert(
    fc.property(text, (secret) => {
      const stored = ACT_ERRORS.serialize(new TypeError(secret))
      expect(stored).toEqual({ type: 'fault' })
      expect(explain(ACT_ERRORS.deserialize(stored)).isFault).toBe(true)
    }),
  )
})
