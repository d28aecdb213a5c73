import { capability } from '@svc/kernel'

/** The HTTP server, for plugins and programs that must know where it is or speak to it without a socket. */
export interface HttpServer {
  /** Where it listens, for example `http://127.0.0.1:8080`; throws while it does not listen. */
  url(): string
  /** The port that it listens on; throws while it does not listen. */
  port(): number
  /** Answers a request inside the process, as if it had come from 127.0.0.1. Never rejects. */
  fetch(request: Request): Promise<Response>
}

/** The server's HTTP transport. */
export const HttpServerCapability = capability<HttpServer>('http')
