import type { HealthCheckRow, Status } from '../health-check-store.ts'
import { probe } from './probe.ts'

export interface Schedule extends AsyncDisposable {
  /** Schedules a check. If it's already scheduled, replaces its settings. */
  track(check: HealthCheckRow): void
  /** Stops running a check, and discards the result of a run in progress. */
  forget(uuid: string): void
}

/** A schedule that runs no checks, for a sandbox in which statuses change only through the controls. */
export const idleSchedule: Schedule = {
  track: () => {},
  forget: () => {},
  [Symbol.asyncDispose]: async () => {},
}

export interface ScheduleOptions {
  /** Called with the result of each check. */
  record(uuid: string, status: Status): void
  /** The maximum number of targets checked at the same time. */
  concurrency?: number
  /** The timeout per target. */
  timeoutMs?: number
  /** The delay before a check's first run. */
  firstDelayMs?: number
  probe?: (check: HealthCheckRow, signal: AbortSignal) => Promise<boolean>
}

interface Job {
  check: HealthCheckRow
  timer?: NodeJS.Timeout
}

/**
 * Runs each tracked check again and again: the next run starts `frequency` seconds after the last one ended. If a check is
 * changed or removed while it runs, the result is discarded. Disposing aborts all running checks.
 */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { record, concurrency = 24, timeoutMs = 5_000, firstDelayMs = 500, probe: runProbe = probe } = options
  const jobs = new Map<string, Job>()
  const dueJobs: Job[] = []
  const running = new Set<Promise<void>>()
  const closing = new AbortController()

  const isCurrent = (job: Job): boolean => jobs.get(job.check.uuid) === job

  const startTimer = (job: Job, delayMs: number): void => {
    job.timer = setTimeout(() => {
      dueJobs.push(job)
      startDueJobs()
    }, delayMs)
  }

  const runJob = async (job: Job): Promise<void> => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const isHealthy = await runProbe(job.check, AbortSignal.any([closing.signal, deadline]))
    if (!isCurrent(job) || closing.signal.aborted) return
    startTimer(job, job.check.frequency * 1000)
    record(job.check.uuid, isHealthy ? 'HEALTHY' : 'UNHEALTHY')
  }

  const startDueJobs = (): void => {
    while (running.size < concurrency) {
      const job = dueJobs.shift()
      if (!job) return
      if (!isCurrent(job)) continue
      const done = runJob(job)
        .catch((error: Error) => void process.stderr.write(`sandbox: a check failed: ${error.stack}\n`))
        .finally(() => {
          running.delete(done)
          startDueJobs()
        })
      running.add(done)
    }
  }

  const forget = (uuid: string): void => {
    clearTimeout(jobs.get(uuid)?.timer)
    jobs.delete(uuid)
  }

  return {
    track(check) {
      forget(check.uuid)
      if (closing.signal.aborted) return
      const job: Job = { check }
      jobs.set(check.uuid, job)
      startTimer(job, firstDelayMs)
    },
    forget,
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const uuid of jobs.keys()) forget(uuid)
      await Promise.all(running)
    },
  }
}
