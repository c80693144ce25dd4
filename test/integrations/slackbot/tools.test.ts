import { expect, it } from 'vitest'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { createToolBox } from '../../../src/integrations/slackbot/tools.ts'
import { readTyped } from '../../read-typed.ts'

const VERB: Verb = {
  command: 'hc',
  verb: 'show',
  usage: 'show NAME',
  description: 'Show a check',
  needs: 'viewer',
  run: () => Promise.reject(new Error('This test runs no verb.')),
}

it.each(['web', '"web', "'web", 'web "1', '“web', 'web \\"'])(
  'keeps an option separate from the words, whatever they contain: %s',
  (words) => {
    const { line = '' } = createToolBox([VERB]).buildLine('hc_show', { words, env: 'ote' }) ?? {}
    expect(readTyped(line, { flags: { env: ['production', 'ote'] } }).flags).toEqual({ env: 'ote' })
  },
)
