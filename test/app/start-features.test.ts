import { expect, it } from 'vitest'
import { type AppContext, startFeatures } from '../../src/app/start-features.ts'
import { type Feature, feature, providePort } from '../../src/bot/feature.ts'
import type { Port } from '../../src/bot/ports.ts'
import { createRoutes } from '../../src/bot/routes/routes.ts'

const greeting: Port<string> = { feature: 'owner', name: 'a greeting' }

/** Starts features that need nothing but their ports. */
const start = (...features: Feature[]) => startFeatures(createRoutes(), { store: {} } as AppContext, features)

it('creates a provided object once, and passes it to the features that use it, in any order', () => {
  let count = 0
  const greetings: string[] = []
  const user = (name: string) =>
    feature({
      name,
      start({ use }) {
        greetings.push(use(greeting))
        return {}
      },
    })
  const provider = providePort(greeting, () => {
    count += 1
    return `hello ${count}`
  })
  start(user('one'), feature({ name: 'owner', provides: [provider] }), user('other'))
  expect(greetings).toEqual(['hello 1', 'hello 1'])
})

it('fails to start if no feature provides an object, and names the object and the feature that needs it', () => {
  const user = feature({ name: 'user', start: ({ use }) => ({ commands: use(greeting) ? [] : [] }) })
  expect(() => start(user)).toThrow('user uses “a greeting”, which owner doesn’t provide.')
})
