import { DONE } from '@signalman/durable'
import { message, section } from '@signalman/slack'
import { expect, it } from 'vitest'
import { type AppContext, startFeatures } from '../../src/app/start-features.ts'
import { type Feature, feature, providePort } from '../../src/bot/feature.ts'
import { form } from '../../src/bot/forms/form.ts'
import type { Port } from '../../src/bot/ports.ts'
import { createRoutes, type VerbDeclaration } from '../../src/bot/routes/routes.ts'

const greeting: Port<string> = { name: 'a greeting' }

/** Starts features that need nothing but their ports. */
const start = (...features: Feature[]) => {
  const routes = createRoutes()
  return { routes, ...startFeatures(routes, { store: {} } as AppContext, features) }
}

const ping: VerbDeclaration = {
  line: '/hc ping',
  description: 'Check that Signalman answers',
  needs: 'viewer',
  run: async () => message('pong', section('pong')),
}

const pingForm = form({
  id: 'ping.ask',
  title: 'Ping',
  button: 'Ping',
  verb: '/hc ping',
  needs: 'viewer',
  workingText: 'Pinging…',
  content: () => ({ formState: {}, blocks: [] }),
  read: () => ({}),
  submit: async () => message('pong'),
})

it('registers all routes and work kinds that a feature declares', () => {
  const { routes, work } = start(
    feature({
      name: 'ping',
      start: () => ({
        commands: [ping],
        forms: [pingForm],
        home: [{ group: 'now', section: async () => [section('Ping')] }],
        work: [{ kind: 'ping', lane: 'quick', run: async () => DONE }],
      }),
    }),
  )
  expect(routes.findVerbs('hc')?.get('ping')?.description).toBe('Check that Signalman answers')
  expect(routes.findForm('ping.ask')?.verb).toBe('/hc ping')
  expect(routes.homeView()).toBeDefined()
  expect(work.map(({ kind }) => kind)).toEqual(['ping'])
})

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
  expect(() => start(user)).toThrow('The feature user uses “a greeting”, which no feature provides.')
})
