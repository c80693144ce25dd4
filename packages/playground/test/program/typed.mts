// packed.test.ts type-checks this file against the packed playground. It never runs.
import { checkMessage, type Playground, startPlayground } from '@signalman/playground'
import { type Answer, createDriver } from '@signalman/playground/driver'
import { startPlaygroundFixture } from '@signalman/playground/fixture'

const playground: Playground = await startPlayground({ signingSecret: 's', manifestPath: 'manifest.yml' })
const answer: Answer = await createDriver(playground.url).member.command('/hc', 'list')
const text: string = answer.text
await using world = await startPlaygroundFixture({ manifestPath: 'manifest.yml', cwd: text })
// @ts-expect-error there is no person with that name
world.slack.nobody
checkMessage({ text })
