import { Component, type ReactNode } from 'react'

/** Something this page does not draw, named and with its payload at hand. */
export function Unknown({ what }: { what: { type: string } }) {
  return (
    <details className="unknown soft">
      <summary>
        Not drawn here: <code>{what.type}</code>
      </summary>
      <pre>{JSON.stringify(what, null, 2)}</pre>
    </details>
  )
}

/** Keeps one block that cannot be drawn from taking the page with it. */
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
