import { expect, it } from 'vitest'
import { type Act, openAct } from '../../../packages/durable/src/engine/act.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { Notice, UserError } from '../../../packages/runtime/src/errors.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createFind, unlessAct } from '../../../src/bot/find.ts'
import type { Handler } from '../../../src/bot/handler.ts'
import { type Explained, problemText } from '../../../src/bot/request/explain.ts'
import { createRun } from '../../../src/bot/run.ts'
import { createLog } from '../../../src/log.ts'

const ORIGIN = {
  workspaceId: 'T1',
  userId: 'U1',
  channelId: 'C1',
  reference: 'R',
  surface: { kind: 'home' },
} as const
const VERB: Handler = { verb: '/hc edit', needs: 'operator', ack: '', run: async () => undefined }

/**
 * Runs a handler in a channel of OTE. Returns how the person was checked, the environment, and the problem that they were shown. Has
 * only the methods that these tests need.
 */
async function runOnce(handler: Handler, act?: Pick<Act, 'hasNoStepYet' | 'once'>) {
  const seen = { checks: [] as string[], environment: '', problem: '' }
  const check = (kind: string) => async () => {
    seen.checks.push(kind)
    return {}
  }
  const showProblem = async (problem: Explained) => {
    seen.problem = problemText(problem)[0]
  }
  const run = createRun({
    find: () => expect.unreachable(),
    openAnswer: () => ({ put: async () => undefined, showProblem, close: () => undefined }) as never,
    access: { authorize: check('authorized'), findActor: check('identified') } as never,
    makeContext: (_, environment) => {
      seen.environment = environment
      return {} as never
    },
    findHiddenButtons: async () => undefined,
    windowStates: { read: async () => undefined },
    cached: { channelEnvironment: async () => 'ote' },
    channels: { environment: async () => 'ote' },
    refreshHome: async () => undefined,
    log: createLog('silent'),
  })
  await run({ kind: 'home', origin: ORIGIN }, ORIGIN, handler, act as Act | undefined)
  return seen
}

it('keeps an act in the environment that it began in', async () => {
  const once = (async () => 'production') as never
  expect(await runOnce(VERB)).toMatchObject({ environment: 'ote' })
  expect(await runOnce({ ...VERB, isAct: true }, { hasNoStepYet: true, once })).toMatchObject({
    environment: 'production',
  })
})

it('checks no roles again for an act that has begun a step, because each further step checks them', async () => {
  const once = (async (_: string, read: () => unknown) => read()) as never
  for (const hasNoStepYet of [true, false])
    expect((await runOnce({ ...VERB, isAct: true }, { hasNoStepYet, once })).checks).toEqual([
      hasNoStepYet ? 'authorized' : 'identified',
    ])
})

it('doesn’t run a button without a line, or a line of a read that would change something', async () => {
  const pressed = { kind: 'action', origin: ORIGIN, actionId: 'command.0', value: 'v1:abc', view: undefined }
  const { run } = createFind({} as never)(pressed as never)
  await expect(run?.({} as never, undefined)).rejects.toThrow('This button is too old')
  expect(() => unlessAct({ ...VERB, isAct: true })).toThrow('changes something')
  expect(unlessAct(VERB)).toBe(VERB)
})

/** Runs a handler in the top window of a stack. Returns the windows that were shown, and whether refusing them is recorded. */
async function runInStack(handler: Handler, isAct: boolean) {
  const shown: { viewId?: string; line?: string; below?: number; isRecorded?: boolean }[] = []
  const below = [
    { viewId: 'V3', line: '/hc show a --env ote' },
    { viewId: 'V2' },
    { viewId: 'V1', line: '/hc list --env ote' },
    { viewId: 'V0', line: '/hc delete all' },
  ]
  const run = createRun({
    find: (request) => {
      const line = request.kind === 'action' ? request.value : ''
      return { ...VERB, isAct: line.includes('delete'), line: () => line }
    },
    openAnswer: (request) => {
      const { modalId: viewId } = request.surface as { modalId?: string }
      const put = async () =>
        void Object.assign(shown.at(-1) ?? {}, {
          ...{ viewId, line: request.line ?? request.window?.line, below: request.window?.below?.length },
        })
      return { put, showProblem: put, close: () => undefined } as never
    },
    access: {
      authorize: async (_: unknown, { isUnrecorded = false }) => {
        shown.push({ isRecorded: !isUnrecorded })
        return {}
      },
    } as never,
    makeContext: () => ({}) as never,
    findHiddenButtons: async () => undefined,
    windowStates: { read: async () => ({ environment: 'ote', line: '/hc delete a', below }) },
    cached: { channelEnvironment: async () => 'ote' },
    channels: { environment: async () => 'ote' },
    refreshHome: async () => undefined,
    log: createLog('silent'),
  })
  const origin = { ...ORIGIN, surface: { kind: 'window', modalId: 'V4' } } as const
  const act = isAct ? ({ hasNoStepYet: true } as Act) : undefined
  await run({ kind: 'home', origin }, origin, { ...handler, isAct }, act)
  return shown
}

it('shows each window under an act again that a read filled, and records no refusal of what nobody asked for', async () => {
  const view = { callbackId: 'delete' } as Handler['view']
  const top = { viewId: 'V4', line: undefined, below: 4, isRecorded: true }
  expect(await runInStack({ ...VERB, view }, true)).toEqual([
    top,
    { viewId: 'V3', line: '/hc show a --env ote', below: 3, isRecorded: false },
    { viewId: 'V1', line: '/hc list --env ote', below: 1, isRecorded: false },
  ])
  expect(await runInStack({ ...VERB, view }, false)).toEqual([{ ...top, line: '/hc delete a' }])
})

/** Runs an act with one step, fails as told before or after it, and returns the problem that the person sees. */
async function runStep(
  store: Store,
  { attempts = 1, before, after }: { attempts?: number; before?: string; after?: Error },
): Promise<string> {
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
  const { steps, lateOutcomes } = store
  const act = await openAct(
    { steps, lateOutcomes, errors: ACT_ERRORS, maxInFlightMs: 1 },
    trackLeasedWork('me').add({ ...work, attempts }),
  )
  const auditEvent = (outcome: 'begun' | 'done' | 'failed' | 'unknown') => ({
    ...{ workspaceId: 'T1', at: new Date(), actor: { userId: 'U1' }, verb: '/hc edit', outcome },
    reference: 'R',
  })
  async function run(): Promise<undefined> {
    if (before) throw new UserError(before)
    await act.step({ name: 'edit', auditEvent, work: async () => undefined })
    if (after) throw after
  }
  return (await runOnce({ ...VERB, isAct: true, environment: 'ote', run }, act)).problem
}

it('doesn’t add “Nothing was changed” to an error if an earlier attempt changed something', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const before = 'The service doesn’t answer.'
  expect(await runStep(store, { before })).toContain('Nothing was changed.')
  expect(await runStep(store, {})).toBe('')
  const repeated = await runStep(store, { attempts: 2, before })
  expect(repeated).toContain('It’s done')
  expect(repeated).not.toContain('Nothing was changed.')
  expect(await runStep(store, { attempts: 2 })).toBe('')
})

it.each([
  {
    after: new UserError('The second role has changed in the meantime.'),
    shown:
      'The second role has changed in the meantime.\nThe earlier steps were already done. Check them before you repeat anything.',
  },
  {
    after: new Notice('It’s already over. Nothing was changed.'),
    shown: 'It’s already over. Nothing was changed.',
  },
  {
    after: new TypeError('A bug.'),
    attempts: 20,
    shown:
      'Something went wrong inside Signalman.\nPart of it may have gone through. Check before you repeat it. Give the reference to the person who runs this app.',
  },
])('doesn’t add “Nothing was changed” to an error after a step: $after', async ({ shown, ...failing }) => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  expect(await runStep(store, failing)).toBe(shown)
})
