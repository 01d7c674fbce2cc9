# syntax=docker/dockerfile:1
# Two images: `docker build .` is the gate alone (CPU); `docker build --target judge .` can also judge and generate.
# Pinned by constraints.txt, as everywhere; pin the base image by digest where you build it.

ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE NOTICE ./
COPY gate gate
COPY policies policies
RUN python -m pip install --constraint constraints.txt hatchling \
 && python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && python -m venv /opt/gate

FROM build AS build-check
RUN /opt/gate/bin/python -m pip install --constraint constraints.txt "$(echo /wheels/*.whl)[github,html,parquet,s3,gcs,hf,sign]"

FROM build AS build-judge
RUN /opt/gate/bin/python -m pip install --constraint constraints.txt "$(echo /wheels/*.whl)[github,html,parquet,s3,gcs,hf,sign,judge]"

FROM python:${PYTHON}-slim AS base
ENV PATH=/opt/gate/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONSAFEPATH=1
RUN useradd --create-home --uid 10001 gate
USER 10001
WORKDIR /work
ENTRYPOINT ["gate"]
CMD ["--help"]

# For a runner with a GPU; the CUDA libraries come with torch's own wheels.
FROM base AS judge
COPY --from=build-judge /opt/gate /opt/gate

# The last stage is the default one.
FROM base AS check
COPY --from=build-check /opt/gate /opt/gate
