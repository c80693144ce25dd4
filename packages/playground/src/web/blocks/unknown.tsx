import { Component, type ReactNode } from 'react'

/** Shows the type and the JSON of a block or element that the page can't render. */
export function Unknown({ what }: { what: { type: string } }) {
  return (
    <details className="unknown soft">
      <summary>
        Can’t be displayed: <code>{what.type}</code>
      </summary>
      <pre>{JSON.stringify(what, null, 2)}</pre>
    </details>
  )
}

/** An error boundary, so that a block that fails to render doesn't break the page. */
export class BlockBoundary extends Component<
  { what: { type: string }; children: ReactNode },
  { broken: boolean }
> {
  override state = { broken: false }

  static getDerivedStateFromError() {
    return { broken: true }
  }

  override componentDidUpdate(before: { what: { type: string } }) {
    if (before.what !== this.props.what && this.state.broken) this.setState({ broken: false })
  }

  override render() {
    return this.state.broken ? <Unknown what={this.props.what} /> : this.props.children
  }
}
