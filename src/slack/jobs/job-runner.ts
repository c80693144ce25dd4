import { randomUUID } from 'node:crypto'
import { type Message, message } from '../../blocks/message.ts'
import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Job, Jobs } from '../../store/store.ts'
import type { BindButtons } from '../answers/bind-buttons.ts'
import { explain, problemMessage } from '../answers/explain.ts'
import { logProblem } from '../answers/log-problem.ts'
import type { SlackClients } from '../client/clients.ts'
import type { Posted } from '../client/slack-client.ts'
import type { Upload } from '../client/slack-files.ts'
import type { MakeAsk } from '../make-ask.ts'
import type { Place } from '../place.ts'
import type { Access } from '../rights/access.ts'
import type { JobRun, RouteTable } from '../routes.ts'
import { bodyOf, type JobBody, type Queue } from './job-queue.ts'

export interface WorkTimes {
  /** How long a job stays a process's own without a sign of life; longer than any call to the service takes. */
  leaseMs: number
  /** How often this process looks for jobs that nobody told it of. */
  pollMs: number
  /** Progress is shown at most this often. */
  tellMs: number
  /** How long after its beginning a write is certainly over, whoever began it: longer than any call to the service takes. */
  settleMs: number
}

const TIMES: WorkTimes = { leaseMs: 60_000, pollMs: 5000, tellMs: 3000, settleMs: 25_000 }
const AT_ONCE = 2
const STOP_LIMIT_MS = 9000

/** Why a job ended before its time, without anything being wrong: it goes on elsewhere, or later. */
class LetGo extends Error {
  override readonly name = 'LetGo'
}

/**
 * Works off the jobs of this database beside all other processes: each is held for a time, and held again while it runs.
 * What a process leaves behind when it dies is taken up by the next one. Disposing of it hands running jobs back.
 */
export function startWork(parts: {
  jobs: Jobs
  queue: Queue
  routes: RouteTable
  ask: MakeAsk
  access: Access
  bindButtons: BindButtons
  clients: SlackClients
  log: Log
  now: () => Date
  times?: Partial<WorkTimes> | undefined
}): AsyncDisposable {
  const { jobs, queue, routes, ask, access, bindButtons, clients, log, now } = parts
  const times = { ...TIMES, ...parts.times }
  const owner = randomUUID()
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  const leaseEnd = (): Date => new Date(now().getTime() + times.leaseMs)

  function wake(): void {
    isAskedAgain = true
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'Jobs could not be looked for; it is tried again.'))
      .finally(() => {
        looking = undefined
      })
  }

  async function look(): Promise<void> {
    while (isAskedAgain && running.size < AT_ONCE && !stopping.signal.aborted) {
      isAskedAgain = false
      const job = await jobs.claim(owner, leaseEnd(), now())
      if (!job) return
      isAskedAgain = true
      // What cannot even be let go of is given back by its lease.
      const work = attend(job)
        .catch((error: unknown) =>
          log.error({ err: error, kind: job.kind }, 'A job could not be let go of; it goes on later.'),
        )
        .finally(() => {
          running.delete(work)
          wake()
        })
      running.add(work)
    }
  }

  async function attend(job: Job): Promise<void> {
    const hold = holding(job)
    const { place: kept, environment, about } = bodyOf(job)
    const place = { ...NOWHERE, ...kept }
    const progress = progressOf(job, place, environment)
    const line = { reference: place.reference, workspace: place.workspaceId, kind: job.kind }
    try {
      const kind = routes.jobOf(job.kind)
      if (!kind)
        throw new UserError('This was begun by a newer version of Signalman, which has to finish it.')
      const actor = await access.admit(place, kind)
      const run: JobRun<unknown> = {
        id: job.id,
        owner,
        about,
        ask: ask(place, environment, actor),
        signal: hold.signal,
        isStopped: () => hold.wantsStop,
        settleMs: times.settleMs,
        now,
        tell: (message) => progress.tell(message, false),
        upload: progress.upload,
      }
      const { message: outcome, isDone } = await kind.run(run)
      hold.signal.throwIfAborted()
      // Told first: a process that dies in between leaves a job that finds nothing to do, not a person without an answer.
      await progress.tell(outcome, true)
      await jobs.release(job.id, owner, isDone ? 'done' : 'stopped', now())
      log.info({ ...line, outcome: isDone ? 'done' : 'stopped' }, 'A job has ended.')
    } catch (error) {
      if (hold.signal.aborted) return await jobs.release(job.id, owner, 'waiting', now())
      const problem = explain(error)
      logProblem(log, line, problem, error)
      await progress.tell(problemMessage(problem, place.reference), true)
      await jobs.release(job.id, owner, 'stopped', now())
    } finally {
      hold.end()
    }
  }

  /** Holds the job until the end; its signal says when it must be let go of. */
  function holding(job: Job) {
    const stop = new AbortController()
    const letGo = (): void => stop.abort(new LetGo('The job goes on elsewhere.'))
    const state = { signal: stop.signal, wantsStop: false, end: () => {} }
    let endsAt = performance.now() + times.leaseMs
    async function again(): Promise<void> {
      const asked = performance.now()
      const { isHeld, wantsStop } = await jobs.hold(job.id, owner, leaseEnd())
      if (!isHeld) return letGo()
      endsAt = asked + times.leaseMs
      state.wantsStop = wantsStop
    }
    const timer = setInterval(() => {
      if (performance.now() > endsAt) return letGo()
      again().catch((error: unknown) =>
        log.warn({ err: error }, 'A job could not be held; it is tried again.'),
      )
    }, times.leaseMs / 30)
    stopping.signal.addEventListener('abort', letGo, { once: true })
    if (stopping.signal.aborted) letGo()
    state.end = () => {
      clearInterval(timer)
      stopping.signal.removeEventListener('abort', letGo)
    }
    return state
  }

  /** One message to the person, edited in place: across processes too. */
  function progressOf(job: Job, place: Place, environment: JobBody['environment']) {
    let { message: shownAt } = job
    let toldAt = Number.NEGATIVE_INFINITY

    async function show(message: Message): Promise<Posted> {
      const slack = await clients.of(place)
      const ready = { ...message, blocks: await bindButtons(place, environment, message.blocks) }
      if (shownAt) await slack.edit(shownAt, ready)
      else {
        shownAt = await slack.postDirect(place.userId, ready)
        await jobs.showAt(job.id, shownAt)
      }
      return shownAt
    }

    return {
      /** A message that cannot be shown does not end the work. */
      async tell(message: Message, isLast: boolean): Promise<void> {
        if (!isLast && performance.now() - toldAt < times.tellMs) return
        toldAt = performance.now()
        await show(message).catch((error: unknown) =>
          log.warn({ reference: place.reference, err: error }, 'The progress of a job could not be shown.'),
        )
      },
      async upload(file: Upload): Promise<void> {
        const slack = await clients.of(place)
        await slack.upload(shownAt ?? (await show(message('The file follows.'))), file)
      },
    }
  }

  queue.listen(wake)
  const timer = setInterval(wake, times.pollMs)
  timer.unref()
  wake()

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      clearInterval(timer)
      queue.listen(() => undefined)
      await looking
      const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref())
      await Promise.race([Promise.allSettled(running), limit])
    },
  }
}

/** A job has no window and no response_url: it writes to the person directly. */
const NOWHERE = {
  responseUrl: undefined,
  triggerId: undefined,
  modalId: undefined,
  threadTs: undefined,
  environment: undefined,
}
