"""A server that speaks only the handshake of Milvus: it accepts or refuses a client."""

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any


@contextmanager
def standing_in(version: str = "2.6.6", token: str = "") -> Iterator[str]:
    """Serve the handshake of `version` to clients that send `token`; yield the address."""
    import grpc
    from pymilvus.grpc_gen import common_pb2, milvus_pb2, milvus_pb2_grpc

    expected = base64.b64encode(token.encode()).decode()

    class Server(milvus_pb2_grpc.MilvusServiceServicer):  # type: ignore[misc]
        def _check(self, context: Any) -> None:
            sent = dict(context.invocation_metadata()).get("authorization", "")
            if token and sent != expected:
                context.abort(
                    grpc.StatusCode.UNAUTHENTICATED,
                    f"auth check failure, please check api key is correct: {sent} {token}",
                )

        def Connect(self, _request: Any, context: Any) -> Any:  # noqa: N802
            self._check(context)
            return milvus_pb2.ConnectResponse(
                status=common_pb2.Status(),
                server_info=common_pb2.ServerInfo(build_tags=version),
                identifier=1,
            )

        def GetVersion(self, _request: Any, context: Any) -> Any:  # noqa: N802
            self._check(context)
            return milvus_pb2.GetVersionResponse(status=common_pb2.Status(), version=version)

        def ShowCollections(self, _request: Any, context: Any) -> Any:  # noqa: N802
            self._check(context)
            return milvus_pb2.ShowCollectionsResponse(status=common_pb2.Status())

    server = grpc.server(ThreadPoolExecutor(4))
    milvus_pb2_grpc.add_MilvusServiceServicer_to_server(Server(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(None).wait(5)
