import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPlaygroundFixture } from '@signalman/playground/fixture'

test('greets a person who says hello, and says who clicked', async () => {
  await using world = await startPlaygroundFixture({
    manifestPath: 'manifest.yml',
    command: ['node', 'app.js'],
  })
  const sent = await world.slack.member.say('hello')
  const greeting = await sent.answer({ until: 'Hey there' })
  const clicked = await world.slack.member.click(greeting.message, 'Click Me', { until: 'clicked' })
  assert.match(clicked.text, /clicked the button/)
})
