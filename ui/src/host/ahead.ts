import type { Command, Host, Params, Result } from './host';

/** What was asked before the pages were there: their first picture has the answers then. */
export class Ahead {
  readonly #host: Host;
  /** By the question. */
  #answers: Map<string, unknown> | undefined = new Map();

  constructor(host: Host) {
    this.#host = host;
  }

  async ask<C extends Command>(command: C, params: Params<C>): Promise<Result<C>> {
    const answer = await this.#host.rpc(command, params);
    this.#answers?.set(asQuestion(command, params), answer);
    return answer;
  }

  /** An answer, once; nothing where it has to be asked for. */
  take<C extends Command>(command: C, params: Params<C>): Result<C> | undefined {
    const question = asQuestion(command, params);
    const answer = this.#answers?.get(question) as Result<C> | undefined;
    this.#answers?.delete(question);
    return answer;
  }

  /** The pages are built: for whoever comes later the answers would be out of date. */
  forget(): void {
    this.#answers = undefined;
  }
}

function asQuestion<C extends Command>(command: C, params: Params<C>): string {
  return `${command} ${JSON.stringify(params)}`;
}
