import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { ACT_KINDS } from './act-kinds.ts'
import { startDeployment } from './deployment.ts'
import { addPairs } from './people.ts'

const SENDING = /^(?:generate and keep a token|create|edit|(?:add|edit|remove) an alert)$/
const KINDS = ACT_KINDS.filter(({ name }) => SENDING.test(name))
const METHODS = ['POST', 'PUT', 'DELETE']

it('sends nothing twice if the process dies and the next one words its audit rows differently', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database, { script: 'test/acts/reworded-app.ts' })
  await deployment.start()
  const { service } = deployment
  const pairs = await addPairs(deployment, KINDS.length)
  const acts = await Promise.all(
    KINDS.map((kind, index) => kind.prepare(pairs[index] ?? deployment, `api-${index}`)),
  )
  await service.clearRequests()
  const listSent = async () =>
    (await service.requests()).flatMap(({ method, path }) =>
      METHODS.includes(method) ? [`${method} ${path}`] : [],
    )
  await service.faults(...METHODS.map((method) => ({ method, path: '/', kind: 'hold' }) as const))
  await Promise.all(acts.map((act) => act.send()))
  await expect.poll(async () => (await listSent()).length).toBe(KINDS.length)
  const sent = await listSent()
  await deployment.kill('first')
  await service.faults()
  await deployment.start()
  await deployment.waitUntilSettled()
  expect(await listSent()).toEqual(sent)
  const effects = acts.map(async ({ readEffect }, index) => `${KINDS[index]?.name}: ${await readEffect('')}`)
  expect(await Promise.all(effects)).toEqual(
    // Nobody can ask the service whether it has generated the token, which Signalman therefore doesn’t know.
    KINDS.map(({ name }) => `${name}: ${name.includes('token') ? 'partly' : 'done'}`),
  )
})
