import { expect, it } from 'vitest'
import { describeMailed } from '../../../src/bot/views/mailed.ts'

const alert = (recipients: string[], unreadable = 0) => ({ recipients, unreadable })

it.each([
  { alerts: [], count: 'nobody', names: 'nobody' },
  { alerts: [alert([]), alert([])], count: 'nobody', names: 'nobody' },
  { alerts: [alert(['ann@x.test']), alert(['ANN@x.test'])], count: '1 recipient', names: 'ann@x.test' },
  {
    alerts: [alert(['ann@x.test']), alert([], 1)],
    count: 'at least 1 recipient',
    names: 'ann@x.test, and others whom Signalman can’t read',
  },
  {
    alerts: [alert([], 2), alert([])],
    count: 'people whom Signalman can’t read',
    names: 'people whom Signalman can’t read',
  },
])('says whom alerts email, and never “nobody” if it can’t read them: $count', ({ alerts, count, names }) => {
  expect(describeMailed(alerts)).toBe(count)
  expect(describeMailed(alerts, 5)).toBe(names)
})
