import { useCallback, useEffect, useState } from 'react'
import type { WeatherReport } from '../protocol.ts'
import { clockTime } from './chat/when.ts'
import { Each } from './each.ts'
import { Icon } from './icon.tsx'
import { useActions } from './page.ts'

const AGAIN_MS = 2000

/** What can go wrong here and what the service was asked, read again while the panel is open and the window is seen. */
function useReport(): { report: WeatherReport | undefined; readAgain: () => void } {
  const { client } = useActions()
  const [report, setReport] = useState<WeatherReport>()
  const read = useCallback(async () => {
    const found = await client.weather()
    if (found) setReport(found)
  }, [client])
  useEffect(() => {
    void read()
    const timer = setInterval(() => document.visibilityState === 'visible' && void read(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [read])
  return { report, readAgain: () => void read() }
}

function Requests({ requests }: { requests: WeatherReport['requests'] }) {
  if (requests.length === 0) return null
  return (
    <>
      <h3>What the service was asked</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <ol className="requests" tabIndex={0} aria-label="What the service was asked">
        <Each of={requests.toReversed()}>
          {({ at, method, path, status, fault }) => (
            <li className={fault === undefined ? undefined : 'faulted'}>
              <span className="stamp">{clockTime(new Date(at))}</span>
              <code>
                {method} {path}
              </code>
              <strong>{status ?? '…'}</strong>
              {fault !== undefined && <span className="badge">{fault}</span>}
            </li>
          )}
        </Each>
      </ol>
    </>
  )
}

/** What can be made to go wrong around the app, beside the conversation in which it then shows. */
export function Weather() {
  const { client, dispatch } = useActions()
  const { report, readAgain } = useReport()
  const [done, setDone] = useState('')
  const play = async (id: string) => {
    setDone('…')
    const answer = await client.makeWeather(id)
    setDone(answer.ok ? answer.text : answer.message)
    if (answer.ok) dispatch({ type: 'tried', what: 'weather', isTried: true })
    readAgain()
  }
  return (
    <aside className="panel weather" aria-labelledby="weather-title">
      <header className="bar">
        <h2 id="weather-title">Weather</h2>
        <button
          type="button"
          className="button icon"
          aria-label="Close the weather"
          onClick={() => dispatch({ type: 'panel', panel: null })}
        >
          <Icon name="close" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="weather-body" tabIndex={0} aria-label="What can go wrong">
        <p className="weather-done" role="status">
          {done}
        </p>
        {report?.sources.map(({ name, patterns }) => (
          <div key={name}>
            <h3>{name}</h3>
            <ul>
              {patterns.map(({ id, title, text }) => (
                <li key={id}>
                  <button type="button" className="button small" onClick={() => void play(id)}>
                    {title}
                  </button>
                  <span>{text}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {report && <Requests requests={report.requests} />}
      </section>
    </aside>
  )
}
