import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf } from '../long.ts'
import { CHECK_ACTS } from './check-acts.ts'
import { startDeployment } from './deployment.ts'

const READ = { method: 'GET', path: '/healthcheck/v1/healthchecks', kind: 'hold', times: 1 } as const
const ACTS = CHECK_ACTS.filter(({ name }) => /^(?:create|edit|remove an alert)$/.test(name))

it.each(eitherOf(SHARED_DATABASES))(
  'what a person reads is by the process that did it, although another one began it and was suspended meanwhile, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database)
    await deployment.start()
    const { service, slack } = deployment
    const readWindow = async () => JSON.stringify((await slack.member.views()).at(-1))
    const effects: string[] = []
    for (const { name, prepare } of ACTS) {
      await deployment.start()
      const act = await prepare(deployment, name)
      await service.clearRequests()
      // The first process gets its answer after the other one has changed what it asks for.
      await service.faults(READ)
      await act.send()
      await expect.poll(() => service.requests()).toContainEqual(expect.objectContaining({ fault: 'hold' }))
      deployment.signal('SIGSTOP')
      await expect.poll(readWindow).toMatch(act.donePattern)
      await service.faults()
      deployment.signal('SIGCONT')
      // It ends once it has handled everything.
      await deployment.stop(0)
      expect(await readWindow()).toMatch(act.donePattern)
      effects.push(await act.readEffect(''))
      await slack.member.close({ all: true })
    }
    expect(effects).toEqual(ACTS.map(() => 'done'))
  },
)

it.each(eitherOf(SHARED_DATABASES))(
  'what a person reads is the outcome, although the process that stored the act was suspended before it acknowledged it, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database, { hasStandby: true })
    await deployment.start()
    const { slack } = deployment
    for (const { name, prepare } of ACTS) {
      await deployment.start()
      const act = await prepare(deployment, name)
      const readWindow = async () => JSON.stringify((await slack.member.views()).at(-1))
      deployment.freezeWhenStored()
      const sending = act.send()
      await expect.poll(readWindow).toMatch(act.donePattern)
      deployment.signal('SIGCONT')
      await sending
      // It ends once it has handled everything.
      await deployment.stop(0)
      expect(await readWindow()).toMatch(act.donePattern)
      expect(await act.readEffect('')).toBe('done')
      await slack.member.close({ all: true })
    }
  },
)
